// Ends the descriptors of a queue in order. A descriptor ends when every burst of it has its response; the first burst that failed, in the
// order of the bytes, decides status and byte count of its transfer, so the result does not depend on timing. Queues end one
// descriptor a cycle between them: `end_grant_i` answers `end_request_o` in the same cycle.
module dma_retire (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                reset_i,        // forgets a transfer that was begun
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
    output logic                end_request_o,
    input  logic                end_grant_i,
    output logic                give_o,         // the semaphore of the descriptor that ends
    output logic                failed_o,       // the transfer has failed
    output logic                write_dead_o,   // the oldest slot has had a failed write
    // Results.
    output logic                result_valid_o,
    output dma_pkg::result_t    result_o,
    input  logic                result_ready_i
);
  import tern_pkg::*;
  import dma_pkg::*;

  localparam int unsigned Depth = 8;  // the limit of open writes, so neither FIFO fills
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

  logic failed_q, failed, dead_q, write_fails, answered, ends;
  status_e status_q, status;
  addr_t addr_q, addr;
  logic [31:0] bytes_q, bytes;

  assign answered = sent_valid && (b_valid || !sent.needs_b);
  assign end_request_o = answered && sent.token.last && (head_info_i.chain || result_ready_i);
  assign retired_o = sent.token.last ? end_grant_i : answered;
  assign ends = end_grant_i && !head_info_i.chain;
  assign write_fails = sent.needs_b && resp != AxiOkay;
  assign failed = failed_q || write_fails || sent.token.bad;
  assign bytes = bytes_q + (failed_q || write_fails || !sent.needs_b ? 32'd0 : 32'(sent.token.bytes));
  always_comb begin
    status = status_q;
    addr   = addr_q;
    if (!failed_q && write_fails) begin
      status = StatusWriteError;
      addr   = sent.token.addr;
    end else if (!failed_q && sent.token.bad) begin
      status = head_info_i.status;
      addr   = head_info_i.addr;
    end
  end
  assign give_o = head_info_i.signal && !failed;
  assign failed_o = failed_q;
  assign write_dead_o = dead_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      failed_q <= 1'b0;
      dead_q   <= 1'b0;
      status_q <= StatusOk;
      addr_q   <= '0;
      bytes_q  <= '0;
    end else if (reset_i || (retired_o && ends)) begin
      failed_q <= 1'b0;
      dead_q   <= 1'b0;
      status_q <= StatusOk;
      addr_q   <= '0;
      bytes_q  <= '0;
    end else if (retired_o) begin
      failed_q <= failed;
      dead_q   <= (dead_q || write_fails) && !sent.token.last;
      status_q <= status;
      addr_q   <= addr;
      bytes_q  <= bytes;
    end
  end

  assign result_valid_o = ends;
  always_comb begin
    result_o.tag    = head_info_i.tag;
    result_o.index  = head_info_i.index;
    result_o.irq    = head_info_i.irq;
    result_o.bytes  = bytes;
    result_o.status = status;
    result_o.addr   = addr;
  end

  logic unused;
  assign unused = ^{sent.token.beats, sent.token.qid, sent_space, b_space, head_info_i.signal_sem};
`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) sent_i |-> sent_space);
  assert property (@(posedge clk_i) disable iff (!rst_ni) b_valid_i |-> b_space);
  assert property (@(posedge clk_i) disable iff (!rst_ni) sent_valid |-> sent.token.slot == head_i);
  assert property (@(posedge clk_i) disable iff (!rst_ni) end_grant_i |-> end_request_o);
  assert property (@(posedge clk_i) disable iff (!rst_ni) ends |-> failed == (status != StatusOk));
  assert property (@(posedge clk_i) disable iff (!rst_ni) reset_i |-> !sent_valid && !b_valid);
`endif
endmodule
