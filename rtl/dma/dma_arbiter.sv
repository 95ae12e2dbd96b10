// Round robin over the queues: the next one after the last that was served.
module dma_arbiter (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic [dma_pkg::NumQueues-1:0] request_i,
    input  logic                          take_i,     // the pick is served
    output logic                          any_o,
    output dma_pkg::queue_t               pick_o
);
  import dma_pkg::*;

  queue_t last_q;

  assign any_o = request_i != '0;
  always_comb begin
    pick_o = last_q;
    for (int unsigned i = NumQueues - 1; i >= 1; i--) begin
      if (request_i[2'(32'(last_q) + i)]) pick_o = 2'(32'(last_q) + i);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= '1;
    else if (take_i) last_q <= pick_o;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) take_i |-> request_i[pick_o]);
`endif
endmodule
