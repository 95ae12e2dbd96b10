// Completions of a queue that ask for an interrupt, gathered by count.
module dma_coalesce (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [7:0]  coalesce_i,     // completions that make one interrupt, minus one
    input  logic        done_irq_i,     // a completion that asks for an interrupt is in memory
    input  logic        quiet_i,        // no more will come by itself
    output logic        completion_o
);
  logic [7:0] gathered_q;

  assign completion_o = done_irq_i ? gathered_q >= coalesce_i : (quiet_i && gathered_q != '0);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) gathered_q <= '0;
    else if (completion_o) gathered_q <= '0;
    else if (done_irq_i) gathered_q <= gathered_q + 1'b1;
  end
endmodule
