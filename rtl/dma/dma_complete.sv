// Writes the completion records of a queue, one at a time and in order. Room in the ring is reserved when a transfer starts, so a record never
// waits for software, and nothing in the ring is overwritten.
module dma_complete (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 reserve_i,      // a transfer starts
    input  logic                 result_valid_i,
    input  dma_pkg::result_t     result_i,
    output logic                 result_ready_o,
    input  dma_pkg::addr_t       base_i,
    input  logic [3:0]           log2_i,
    input  dma_pkg::index_t      consumer_i,
    output dma_pkg::index_t      producer_o,
    input  logic                 reset_i,        // index back to 0
    // The record on its way to the port.
    output logic                 valid_o,
    output dma_pkg::addr_t       addr_o,
    output dma_pkg::completion_t record_o,
    input  logic                 taken_i,
    input  logic                 b_valid_i,
    input  tern_pkg::axi_resp_e  b_resp_i,
    // Events and state.
    output logic                 full_o,         // no room for one more transfer
    output logic                 done_o,         // a record is in memory
    output logic                 done_irq_o,     // and it asked for an interrupt
    output logic                 lost_o,         // its write failed
    output logic                 busy_o
);
  import tern_pkg::*;
  import dma_pkg::*;

  typedef enum logic [1:0] {
    Idle,
    Send,
    Answer
  } state_e;
  state_e state_q;
  index_t producer_q, reserved_q, size;  // reserved_q: as if all transfers that have started had their completion
  result_t result;
  logic valid;

  axi_fifo #(.Depth(4), .T(result_t)) u_results (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(result_valid_i), .ready_o(result_ready_o), .data_i(result_i),
      .valid_o(valid), .ready_i(state_q == Answer && b_valid_i), .data_o(result));

  assign size = index_t'(1) << log2_i;
  assign full_o = index_t'(reserved_q - consumer_i) >= size || index_t'(producer_q - consumer_i) > size;
  assign valid_o = state_q == Send;
  assign addr_o = base_i + {20'b0, producer_q & ~(index_t'('1) << log2_i), 4'b0};
  assign producer_o = producer_q;
  assign done_o = state_q == Answer && b_valid_i;
  assign done_irq_o = done_o && result.irq && b_resp_i == AxiOkay;
  assign lost_o = done_o && b_resp_i != AxiOkay;
  assign busy_o = valid;

  always_comb begin
    record_o        = '0;
    record_o.phase  = 2'(producer_q >> log2_i) + 2'd1;
    record_o.addr   = result.addr;
    record_o.status = result.status;
    record_o.bytes  = result.bytes;
    record_o.index  = result.index;
    record_o.tag    = result.tag;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Idle;
      producer_q <= '0;
      reserved_q <= '0;
    end else begin
      unique case (state_q)
        Idle: if (valid) state_q <= Send;
        Send: if (taken_i) state_q <= Answer;
        Answer: if (b_valid_i) state_q <= Idle;
        default: state_q <= Idle;
      endcase
      if (reset_i) producer_q <= '0;
      else if (done_o) producer_q <= producer_q + 1'b1;
      if (reset_i) reserved_q <= '0;
      else if (reserve_i) reserved_q <= reserved_q + 1'b1;
    end
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid |-> reserved_q != producer_q);
  assert property (@(posedge clk_i) disable iff (!rst_ni) reset_i |-> !valid && !reserve_i);
`endif
endmodule
