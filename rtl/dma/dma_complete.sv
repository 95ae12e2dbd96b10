// Writes completion records, one at a time and in order. When software has not consumed enough, the record waits: nothing in the
// ring is overwritten.
module dma_complete (
    input  logic                 clk_i,
    input  logic                 rst_ni,
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
    output logic                 full_o,
    output logic                 full_event_o,
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
  index_t producer_q;
  result_t result;
  logic valid, full_q, full;

  axi_fifo #(.Depth(4), .T(result_t)) u_results (
      .clk_i, .rst_ni, .clear_i(1'b0), .valid_i(result_valid_i), .ready_o(result_ready_o), .data_i(result_i),
      .valid_o(valid), .ready_i(state_q == Answer && b_valid_i), .data_o(result));

  assign full = index_t'(producer_q - consumer_i) >= (index_t'(1) << log2_i);
  assign full_o = state_q == Idle && valid && full;
  assign full_event_o = full_o && !full_q;
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
      full_q     <= 1'b0;
    end else begin
      full_q <= full_o;
      unique case (state_q)
        Idle: if (valid && !full) state_q <= Send;
        Send: if (taken_i) state_q <= Answer;
        Answer: if (b_valid_i) state_q <= Idle;
        default: state_q <= Idle;
      endcase
      if (reset_i) producer_q <= '0;
      else if (done_o) producer_q <= producer_q + 1'b1;
    end
  end
endmodule
