// Head, next and tail keep their order on the descriptor ring, and a doorbell is taken exactly when what it claims fits.
module dma_ring_order (
    input logic                    clk_i,
    input logic [3:0]              log2,
    input dma_pkg::queue_config_t  config_i,
    input dma_pkg::queue_command_t command_i,
    input dma_queue_open_pkg::inputs_t inputs_i
);
  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  dma_queue_open #(.DescriptorRing(1'b1)) u_open (.clk_i, .rst_ni(rst_n), .log2, .config_i, .command_i, .inputs_i);

  always_comb begin
    if (rst_n) begin
      // Never more than the ring holds, never less than nothing.
      assert (u_open.known_q <= u_open.size);
      assert (u_open.waiting_q <= u_open.known_q);
      if (u_open.u_queue.start) assert (u_open.waiting_q != '0);
      if (u_open.u_queue.ended) assert (u_open.known_q != '0);
      // Empty and exactly full are told apart.
      assert ((u_open.u_queue.tail == u_open.u_queue.head) == (u_open.known_q == '0));
      assert ((u_open.u_queue.tail - u_open.u_queue.head == u_open.size[15:0]) == (u_open.known_q == u_open.size));
      // All of the ring can be used, and no more.
      if (command_i.doorbell) assert (u_open.accepted == ({1'b0, u_open.claim} + u_open.known_q <= u_open.size));
    end
  end
endmodule
