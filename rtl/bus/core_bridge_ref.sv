// The reference domain's side of core_bridge: starts the handshake, watches the time, flushes what does not end.
module core_bridge_ref
  import host_pkg::*;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic [15:0]  timeout_cycles_i,
    input  logic         valid_i,
    input  core_access_t access_i,
    output logic         ready_o,
    output logic         timeout_o,
    output core_answer_t answer_o,

    // To and from the core side; ack_i and answer_i are of its clock domain.
    output logic         req_o,
    output logic         flush_o,
    output core_access_t access_o,
    input  logic         ack_i,
    input  core_answer_t answer_i
);

  // Two synchronisers and a register access need about ten cycles when the core runs at the reference clock's own rate.
  localparam logic [15:0] MinTimeout = 16'd16;
  // Long enough for a cleared ack to come through the synchroniser.
  localparam logic [2:0] FlushCycles = 3'd5;

  typedef enum logic [1:0] {
    Idle,   // free; a new access waits here until the last handshake's ack is down
    Wait,   // req is up
    Flush,  // timed out
    Answer
  } state_e;

  state_e state_q;
  logic req_q, flush_q, timeout_q;
  core_access_t access_q;
  core_answer_t answer_q;
  logic [15:0] waited_q;
  logic [2:0] flushed_q;

  logic ack;
  bit_sync i_ack (
      .clk_i,
      .rst_ni,
      .d_i(ack_i),
      .q_o(ack)
  );

  logic expired;
  assign expired = waited_q >= (timeout_cycles_i < MinTimeout ? MinTimeout : timeout_cycles_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      req_q <= 1'b0;
      flush_q <= 1'b0;
      timeout_q <= 1'b0;
      access_q <= '0;
      answer_q <= '0;
      waited_q <= '0;
      flushed_q <= '0;
    end else begin
      case (state_q)
        Idle: begin
          timeout_q <= 1'b0;
          flushed_q <= '0;
          if (valid_i && !ack) begin
            state_q <= Wait;
            req_q <= 1'b1;
            access_q <= access_i;
            waited_q <= waited_q + 16'd1;
          end else if (valid_i && expired) begin
            state_q <= Flush;
            flush_q <= 1'b1;
          end else if (valid_i) begin
            waited_q <= waited_q + 16'd1;
          end else begin
            waited_q <= '0;
          end
        end
        Wait: begin
          if (ack) begin
            state_q <= Answer;
            req_q <= 1'b0;
            answer_q <= answer_i;
          end else if (expired) begin
            state_q <= Flush;
            req_q <= 1'b0;
            flush_q <= 1'b1;
          end else begin
            waited_q <= waited_q + 16'd1;
          end
        end
        Flush: begin
          flushed_q <= flushed_q + 3'd1;
          if (flushed_q == FlushCycles) begin
            state_q <= Answer;
            flush_q <= 1'b0;
            timeout_q <= 1'b1;
            answer_q <= '{error: 1'b1, rdata: 32'h0};
          end
        end
        default: begin  // Answer: ready for one cycle
          state_q <= Idle;
          waited_q <= '0;
        end
      endcase
    end
  end

  assign ready_o = state_q == Answer;
  assign timeout_o = timeout_q;
  assign answer_o = answer_q;
  assign req_o = req_q;
  assign flush_o = flush_q;
  assign access_o = access_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_i && !ready_o |=> valid_i && $stable(access_i));
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(req_q && flush_q));
`endif

endmodule
