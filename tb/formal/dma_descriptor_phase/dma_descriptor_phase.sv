// The phase of descriptors, counted by places and passes.
module dma_descriptor_phase (
    input logic                    clk_i,
    input logic [3:0]              log2,
    input dma_pkg::queue_config_t  config_i,
    input dma_pkg::queue_command_t command_i,
    input dma_queue_open_pkg::inputs_t inputs_i
);
  import dma_pkg::*;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  dma_queue_open u_open (.clk_i, .rst_ni(rst_n), .log2, .config_i, .command_i, .inputs_i);

  logic [11:0] place_q;
  logic [1:0] pass_q;
  logic wraps;
  assign wraps = 17'(place_q) + 17'd1 == u_open.size;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      place_q <= '0;
      pass_q  <= '0;
    end else if (u_open.u_queue.reset_done) begin
      place_q <= '0;
      pass_q  <= '0;
    end else if (u_open.u_queue.start) begin
      place_q <= wraps ? '0 : place_q + 1'b1;
      pass_q  <= pass_q + 2'(wraps);
    end
  end

  logic kept_q = 1'b0;
  fetched_t fetched_q;
  always_ff @(posedge clk_i) begin
    kept_q    <= rst_n && u_open.u_queue.fetched_valid && !u_open.u_queue.start && u_open.u_queue.run;
    fetched_q <= u_open.u_queue.fetched;
  end

  always_comb begin
    if (rst_n) begin
      // The head of a FIFO stays until it goes.
      if (kept_q && u_open.u_queue.fetched_valid) assume (u_open.u_queue.fetched == fetched_q);
      // dma_fetch_below_tail proves this.
      if (u_open.u_queue.fetched_valid) assume (u_open.u_queue.fetched.index == u_open.u_queue.next);

      assert ((u_open.u_queue.next & index_t'(u_open.size - 17'd1)) == {4'b0, place_q});
      assert (2'(u_open.u_queue.next >> log2) == pass_q);
      if (u_open.u_queue.checked && !u_open.u_queue.fetched.error)
        assert ((u_open.u_queue.check_status == StatusPhaseMismatch) ==
                (u_open.u_queue.fetched.desc.phase != pass_q + 2'd1));
      // Only what has been checked starts; the rest is leant on.
      if (u_open.u_queue.start) assert (u_open.u_queue.checked && u_open.u_queue.fetched_valid);
      assert (!u_open.u_queue.checked || u_open.u_queue.fetched_valid);
      assert (!u_open.u_queue.pending || u_open.u_queue.checked);
      assert (!u_open.u_queue.u_fetch.drop_q || !u_open.u_queue.fetched_valid);
      assert (u_open.queued <= 3'd4);
    end
  end
endmodule
