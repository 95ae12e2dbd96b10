// Ends descriptors in order. A descriptor ends when every burst of it has its response; the first burst that failed, in the
// order of addresses, decides status and byte count, so the result does not depend on timing.
module dma_retire (
    input  logic                clk_i,
    input  logic                rst_ni,
    // Bursts whose data has gone, in order.
    input  logic                sent_i,
    input  logic                sent_needs_b_i,
    input  dma_pkg::token_t     sent_token_i,
    // Responses to data writes, always taken.
    input  logic                b_valid_i,
    input  tern_pkg::axi_resp_e b_resp_i,
    output logic                retired_o,      // one burst or note dealt with
    // The oldest slot.
    input  dma_pkg::slot_t      head_i,
    input  dma_pkg::slot_info_t head_info_i,
    output logic                end_o,
    // A write of this slot has failed.
    output logic                give_up_o,
    output dma_pkg::slot_t      give_up_slot_o,
    // Results.
    output logic                result_valid_o,
    output dma_pkg::result_t    result_o,
    input  logic                result_ready_i
);
  import tern_pkg::*;
  import dma_pkg::*;

  localparam int unsigned Depth = 16;  // above the limit of open writes, so neither FIFO fills
  typedef struct packed {
    logic   needs_b;
    token_t token;
  } sent_t;

  sent_t sent_in, sent;
  logic sent_valid, sent_space, b_valid, b_space;
  axi_resp_e resp;
  assign sent_in = {sent_needs_b_i, sent_token_i};
  axi_fifo #(.Depth(Depth), .T(sent_t)) u_sent (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(sent_i), .ready_o(sent_space), .data_i(sent_in),
      .valid_o(sent_valid), .ready_i(retired_o), .data_o(sent));
  axi_fifo #(.Depth(Depth), .T(axi_resp_e)) u_responses (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(b_valid_i), .ready_o(b_space), .data_i(b_resp_i),
      .valid_o(b_valid), .ready_i(retired_o && sent.needs_b), .data_o(resp));

  logic failed_q, failed, fails_now;
  addr_t failed_addr_q;
  logic [16:0] bytes_q, bytes;

  assign fails_now = sent.needs_b && resp != AxiOkay && !failed_q;
  assign failed = failed_q || fails_now;
  assign bytes = bytes_q + (failed || !sent.needs_b ? 17'd0 : 17'(sent.token.bytes));
  assign retired_o = sent_valid && (b_valid || !sent.needs_b) && (result_ready_i || !sent.token.last);
  assign end_o = retired_o && sent.token.last;
  assign give_up_o = failed_q;
  assign give_up_slot_o = head_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      failed_q      <= 1'b0;
      failed_addr_q <= '0;
      bytes_q       <= '0;
    end else if (retired_o) begin
      failed_q <= failed && !sent.token.last;
      if (fails_now) failed_addr_q <= sent.token.addr;
      bytes_q <= sent.token.last ? '0 : bytes;
    end
  end

  assign result_valid_o = end_o;
  always_comb begin
    result_o.tag    = head_info_i.tag;
    result_o.index  = head_info_i.index;
    result_o.irq    = head_info_i.irq;
    result_o.bytes  = bytes;
    result_o.status = StatusOk;
    result_o.addr   = '0;
    if (failed) begin
      result_o.status = StatusWriteError;
      result_o.addr   = fails_now ? sent.token.addr : failed_addr_q;
    end else if (sent.token.bad) begin
      result_o.status = head_info_i.status;
      result_o.addr   = head_info_i.addr;
    end
  end

  logic unused;
  assign unused = ^{sent.token.beats, sent_space, b_space};
`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) sent_i |-> sent_space);
  assert property (@(posedge clk_i) disable iff (!rst_ni) b_valid_i |-> b_space);
  assert property (@(posedge clk_i) disable iff (!rst_ni) sent_valid |-> sent.token.slot == head_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni) end_o && sent.token.bad && !failed |-> head_info_i.status != StatusOk);
`endif
endmodule
