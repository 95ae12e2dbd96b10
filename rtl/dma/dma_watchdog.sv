// Tells of a bus that does not answer: no beat on any channel for `limit_i` cycles while some were outstanding.
module dma_watchdog (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [23:0] limit_i,        // cycles, 0 = off
    input  logic        outstanding_i,
    input  logic        moves_i,        // any beat on any channel
    output logic        watchdog_o
);
  logic [23:0] still_q;

  assign watchdog_o = limit_i != '0 && still_q == limit_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) still_q <= '0;
    else if (moves_i || !outstanding_i) still_q <= '0;
    else if (still_q != '1) still_q <= still_q + 1'b1;
  end
endmodule
