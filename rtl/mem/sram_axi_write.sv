// AXI write channels to word writes: one full-strobe beat a cycle, B after the last beat is in the array, answers in order.
module sram_axi_write
  import sram_pkg::*;
  import tern_pkg::*;
(
    input  logic      clk_i,
    input  logic      rst_ni,
    input  logic      aw_valid_i,
    input  axi_ax_t   aw_i,
    output logic      aw_ready_o,
    input  logic      w_valid_i,
    input  axi_w_t    w_i,
    output logic      w_ready_o,
    output logic      b_valid_o,
    output axi_b_t    b_o,
    input  logic      b_ready_i,
    output word_req_t req_o,
    input  word_rsp_t rsp_i
);

  logic aw_full, w_full, b_full, burst_valid, beat_valid, last;
  logic [2:0][1:0] count_unused;
  axi_ax_t burst;
  axi_w_t beat;
  axi_b_t b_in;
  logic [7:0] beat_q;
  logic error_q;

  sram_fifo #(
      .Width($bits(axi_ax_t)),
      .Depth(2)
  ) i_aw (
      .clk_i,
      .rst_ni,
      .push_i (aw_valid_i && !aw_full),
      .data_i (aw_i),
      .full_o (aw_full),
      .valid_o(burst_valid),
      .data_o (burst),
      .pop_i  (rsp_i.done && last),
      .count_o(count_unused[0])
  );
  sram_fifo #(
      .Width($bits(axi_w_t)),
      .Depth(2)
  ) i_w (
      .clk_i,
      .rst_ni,
      .push_i (w_valid_i && !w_full),
      .data_i (w_i),
      .full_o (w_full),
      .valid_o(beat_valid),
      .data_o (beat),
      .pop_i  (rsp_i.done),
      .count_o(count_unused[1])
  );
  assign aw_ready_o = !aw_full;
  assign w_ready_o = !w_full;
  assign last = beat_q == burst.len;

  always_comb begin
    req_o.valid = burst_valid && beat_valid && !(last && b_full);
    req_o.write = 1'b1;
    req_o.addr  = burst.addr[15:3] + WordAddrWidth'(beat_q);
    req_o.data  = beat.data;
    req_o.strb  = beat.strb;
  end

  // One bad beat makes the whole burst bad.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q  <= '0;
      error_q <= 1'b0;
    end else if (rsp_i.done) begin
      beat_q  <= last ? '0 : beat_q + 8'd1;
      error_q <= last ? 1'b0 : error_q | rsp_i.error;
    end
  end

  assign b_in = '{id: burst.id, resp: (error_q | rsp_i.error) ? AxiSlvErr : AxiOkay};

  sram_fifo #(
      .Width($bits(axi_b_t)),
      .Depth(2)
  ) i_b (
      .clk_i,
      .rst_ni,
      .push_i (rsp_i.done && last),
      .data_i (b_in),
      .full_o (b_full),
      .valid_o(b_valid_o),
      .data_o (b_o),
      .pop_i  (b_valid_o && b_ready_i),
      .count_o(count_unused[2])
  );

  logic unused;
  assign unused = ^{burst.addr[39:16], burst.addr[2:0], rsp_i.grant, rsp_i.rvalid, rsp_i.rdata, count_unused, beat.last};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) rsp_i.done |-> beat.last == last)
  else $error("W last does not agree with AW len");
  assert property (@(posedge clk_i) disable iff (!rst_ni) req_o.valid && !rsp_i.done |=> req_o.valid && $stable(req_o))
  else $error("write changed while it waited");
`endif

endmodule
