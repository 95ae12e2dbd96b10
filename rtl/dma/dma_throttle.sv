// Limits read bursts to `run_i` beats in `period_i` cycles on average while throttled. Each burst makes a debt of its
// beats, each cycle pays some of it, and the next burst may start in the cycle that pays the rest: the average
// is exact.
module dma_throttle (
    input  logic            clk_i,
    input  logic            rst_ni,
    input  logic            active_i,
    input  logic [7:0]      run_i,
    input  logic [7:0]      period_i,
    input  logic            issue_i,
    input  dma_pkg::burst_t beats_i,
    output logic            allow_o,
    output logic            debt_o        // not all is paid
);
  logic [13:0] debt_q, cost, left;  // in beats times period
  logic limits;

  assign limits = active_i && (run_i < period_i);
  assign allow_o = !limits || debt_q < {6'b0, run_i};
  assign debt_o = debt_q != '0;
  assign cost = beats_i * {6'b0, period_i};
  assign left = debt_q > {6'b0, run_i} ? debt_q - {6'b0, run_i} : '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) debt_q <= '0;
    else if (!limits) debt_q <= '0;
    else if (issue_i) debt_q <= debt_q + cost - {6'b0, run_i};  // more than 0: cost is at least the period
    else debt_q <= left;
  end
endmodule
