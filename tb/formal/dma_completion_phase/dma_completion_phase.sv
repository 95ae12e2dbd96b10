// Address and phase of completions, counted by places and passes.
module dma_completion_phase (
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
    end else if (u_open.u_queue.comp_done) begin
      place_q <= wraps ? '0 : place_q + 1'b1;
      pass_q  <= pass_q + 2'(wraps);
    end
  end

  always_comb begin
    if (rst_n) begin
      assert ((u_open.u_queue.producer & index_t'(u_open.size - 17'd1)) == {4'b0, place_q});
      assert (2'(u_open.u_queue.producer >> log2) == pass_q);
      if (u_open.u_queue.comp_valid_o) begin
        assert (u_open.u_queue.comp_addr_o == config_i.comp_base + {24'b0, place_q, 4'b0});
        assert (u_open.u_queue.comp_o.phase == pass_q + 2'd1);
      end
    end
  end
endmodule
