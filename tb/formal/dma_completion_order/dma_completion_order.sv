// The completion ring with software that consumes no more than there is.
module dma_completion_order (
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

  // Completions that wait for software, counted.
  index_t consumer_q, consumed;
  logic [16:0] held_q, held;
  assign consumed = config_i.consumer - consumer_q;
  assign held = held_q - {1'b0, consumed};
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      consumer_q <= '0;
      held_q     <= '0;
    end else if (u_open.u_engine.reset_done) begin
      consumer_q <= '0;  // the register is loaded with it
      held_q     <= '0;
    end else begin
      consumer_q <= config_i.consumer;
      held_q     <= held + 17'(u_open.u_engine.comp_done);
    end
  end

  logic sending;
  logic [2:0] results;
  assign sending = u_open.u_engine.u_complete.state_q != 2'd0;
  assign results = u_open.u_engine.u_complete.u_results.write_q - u_open.u_engine.u_complete.u_results.read_q;
  always_comb begin
    if (rst_n) begin
      assume ({1'b0, consumed} <= held_q);

      assert (results <= 3'd4);  // leant on below
      assert (held_q <= u_open.size);
      assert (held_q[15:0] == u_open.u_engine.producer - consumer_q);
      assert (!sending || (held_q < u_open.size && u_open.u_engine.comp_busy));
      assert (!u_open.u_engine.comp_done || held < u_open.size);
      assert (u_open.u_engine.u_complete.full == (held == u_open.size));
      assert ((u_open.u_engine.producer == config_i.consumer) == (held == '0));
    end
  end
endmodule
