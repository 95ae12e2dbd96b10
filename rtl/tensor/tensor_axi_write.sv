// AXI write channels to words of the scratchpad: a beat of whole words a cycle, B once the last beat is in the memory, answers in order.
module tensor_axi_write
  import tensor_pkg::*;
  import tern_pkg::*;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         aw_valid_i,
    input  axi_ax_t      aw_i,
    output logic         aw_ready_o,
    input  logic         w_valid_i,
    input  axi_w_t       w_i,
    output logic         w_ready_o,
    output logic         b_valid_o,
    output axi_b_t       b_o,
    input  logic         b_ready_i,
    output bus_write_t   write_o,
    input  bus_written_t written_i,
    output logic         busy_o
);

  logic burst_valid, beat_valid, b_space, last;
  axi_ax_t burst;
  axi_w_t beat;
  axi_fifo #(.T(axi_ax_t)) u_aw (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(aw_valid_i), .ready_o(aw_ready_o), .data_i(aw_i), .valid_o(burst_valid),
      .ready_i(written_i.ready && last), .data_o(burst));
  axi_fifo #(.T(axi_w_t)) u_w (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(w_valid_i), .ready_o(w_ready_o), .data_i(w_i), .valid_o(beat_valid),
      .ready_i(written_i.ready), .data_o(beat));

  logic [7:0] beat_q;
  logic error_q;
  assign last = beat_q == burst.len;
  assign write_o = '{
          valid: burst_valid && beat_valid && b_space,
          word: bus_word_t'(burst.addr[17:3] + 15'(beat_q)),
          data: beat.data,
          strb: beat.strb
      };
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q  <= '0;
      error_q <= 1'b0;
    end else if (written_i.ready) begin
      beat_q  <= last ? '0 : beat_q + 8'd1;
      error_q <= !last && (error_q || written_i.error);
    end
  end

  axi_b_t answer;
  assign answer = '{id: burst.id, resp: error_q || written_i.error ? AxiSlvErr : AxiOkay};
  axi_fifo #(.T(axi_b_t)) u_b (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(written_i.ready && last), .ready_o(b_space), .data_i(answer),
      .valid_o(b_valid_o), .ready_i(b_ready_i), .data_o(b_o));
  assign busy_o = burst_valid || beat_valid || b_valid_o;

  logic unused;
  assign unused = ^{burst.addr[39:18], burst.addr[2:0], beat.last};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) written_i.ready |-> beat.last == last)
  else $error("a burst with too few or too many beats");
`endif

endmodule
