// The fetcher reads only entries that software has handed over and not got back, and hands each on once and in order.
module dma_fetch_below_tail (
    input logic                    clk_i,
    input logic [3:0]              log2,
    input dma_pkg::queue_config_t  config_i,
    input dma_pkg::queue_command_t command_i,
    input dma_queue_open_pkg::inputs_t inputs_i
);
  import dma_pkg::*;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  dma_queue_open #(.DescriptorRing(1'b1)) u_open (.clk_i, .rst_ni(rst_n), .log2, .config_i, .command_i, .inputs_i);

  index_t read_ahead;
  assign read_ahead = u_open.u_queue.u_fetch.next_q - u_open.u_queue.head;
  always_comb begin
    if (rst_n) begin
      if (u_open.u_queue.fetch_ar_valid_o) begin
        assert ({1'b0, read_ahead} < u_open.known_q);
        assert (read_ahead >= index_t'(u_open.u_queue.slot_count));
        assert (u_open.u_queue.fetch_ar_addr_o - config_i.ring_base < {18'b0, u_open.size, 5'b0});
      end
      if (u_open.u_queue.fetched_valid) begin
        assert (u_open.u_queue.fetched.index == u_open.u_queue.next);
        assert (u_open.waiting_q != '0);
      end
    end
  end

  // What is queued has the indices from next on.
  for (genvar i = 0; i < 4; i++) begin : gen_queue
    logic [1:0] place;
    assign place = u_open.u_queue.u_fetch.u_queue.read_q[1:0] + 2'(i);
    always_comb
      if (rst_n && u_open.queued > 3'(i))
        assert (u_open.u_queue.u_fetch.u_queue.mem_q[place].index == u_open.u_queue.next + index_t'(i));
  end
endmodule
