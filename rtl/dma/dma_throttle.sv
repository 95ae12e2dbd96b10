// Limits read bursts to `run_i` beats in `period_i` cycles on average while throttled. A burst may start when the account is
// not in debt and then costs its beats; so the first one is never delayed and the average holds from then on.
module dma_throttle (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            active_i,
    input  logic [7:0]      run_i,
    input  logic [7:0]      period_i,
    input  logic            issue_i,
    input  dma_pkg::burst_t beats_i,
    output logic            allow_o
);
  logic [13:0] debt_q, cost, paid;  // in beats times period
  logic limits;

  assign limits = active_i && (run_i < period_i);
  assign allow_o = !limits || (debt_q == '0 && run_i != '0);
  assign cost = issue_i ? beats_i * {6'b0, period_i} : '0;
  assign paid = debt_q > {6'b0, run_i} ? debt_q - {6'b0, run_i} : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) debt_q <= '0;
    else if (!limits) debt_q <= '0;
    else debt_q <= paid + cost;
  end
endmodule
