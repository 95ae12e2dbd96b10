// When to tell software: completion interrupts gathered by count, and a watchdog over outstanding beats.
module dma_notice (
    input  logic        clk_i,
    input  logic        rst_ni,
    // Coalescing.
    input  logic [7:0]  coalesce_i,     // completions that make one interrupt, minus one
    input  logic        done_irq_i,     // a completion that asks for an interrupt is in memory
    input  logic        idle_i,         // nothing more is under way
    output logic        completion_o,
    // Watchdog.
    input  logic [23:0] limit_i,        // cycles, 0 = off
    input  logic        outstanding_i,
    input  logic        moves_i,        // any beat on any channel
    output logic        watchdog_o
);
  logic [7:0] gathered_q;
  logic [23:0] still_q;

  assign completion_o = done_irq_i ? gathered_q >= coalesce_i : (idle_i && gathered_q != '0);
  assign watchdog_o = limit_i != '0 && still_q == limit_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gathered_q <= '0;
      still_q    <= '0;
    end else begin
      if (completion_o) gathered_q <= '0;
      else if (done_irq_i) gathered_q <= gathered_q + 1'b1;
      if (moves_i || !outstanding_i) still_q <= '0;
      else if (still_q != '1) still_q <= still_q + 1'b1;
    end
  end
endmodule
