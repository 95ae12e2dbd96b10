// Lets `run` of `period` cycles issue a vector while active, spread evenly: a vector makes a debt of `period`, each cycle pays `run`.
// A run that is not below its period is no limit.
module tensor_pace
  import tensor_pkg::*;
(
    input  logic  clk_i,
    input  logic  rst_ni,
    input  logic  active_i,
    input  pace_t pace_i,
    input  logic  issue_i,
    output logic  allow_o
);

  logic limits;
  logic [8:0] debt_q, left;
  assign limits = active_i && pace_i.run < pace_i.period;
  assign allow_o = !limits || debt_q < 9'(pace_i.run);
  assign left = debt_q > 9'(pace_i.run) ? debt_q - 9'(pace_i.run) : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) debt_q <= '0;
    else if (!limits) debt_q <= '0;
    else if (issue_i) debt_q <= debt_q + 9'(pace_i.period) - 9'(pace_i.run);
    else debt_q <= left;
  end

endmodule
