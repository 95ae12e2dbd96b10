// The phase of descriptors, counted by places and passes.
module dma_descriptor_phase (
    input logic               clk_i,
    input logic [3:0]         log2,
    input dma_pkg::config_t   config_i,
    input dma_pkg::command_t  command_i,
    input tern_pkg::axi_rsp_t axi_rsp_i
);
  import dma_pkg::*;

  logic rst_n = 1'b0;
  always_ff @(posedge clk_i) rst_n <= 1'b1;
  dma_engine_open u_open (.clk_i, .rst_ni(rst_n), .log2, .config_i, .command_i, .axi_rsp_i);

  logic [11:0] place_q;
  logic [1:0] pass_q;
  logic wraps;
  assign wraps = 17'(place_q) + 17'd1 == u_open.size;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      place_q <= '0;
      pass_q  <= '0;
    end else if (u_open.u_engine.reset_done) begin
      place_q <= '0;
      pass_q  <= '0;
    end else if (u_open.u_engine.start) begin
      place_q <= wraps ? '0 : place_q + 1'b1;
      pass_q  <= pass_q + 2'(wraps);
    end
  end

  always_comb begin
    if (rst_n) begin
      // dma_fetch_below_tail proves this.
      if (u_open.u_engine.fetched_valid) assume (u_open.u_engine.fetched.index == u_open.u_engine.next);

      assert ((u_open.u_engine.next & index_t'(u_open.size - 17'd1)) == {4'b0, place_q});
      assert (2'(u_open.u_engine.next >> log2) == pass_q);
      if (u_open.u_engine.fetched_valid && !u_open.u_engine.fetched.error)
        assert ((u_open.u_engine.check_status == StatusPhaseMismatch) ==
                (u_open.u_engine.fetched.desc.phase != pass_q + 2'd1));
    end
  end
endmodule
