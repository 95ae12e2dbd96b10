// The core domain's side of core_bridge: runs the access and answers.
//
// Two kinds of flip-flops: those that hold the handshake are cleared by a flush even without a clock; the access itself is cleared by the core's
// reset only, because a block that has seen `valid` must see it until `ready`.
module core_bridge_core
  import host_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    // To and from the reference domain; inputs are of its clock domain.
    input  logic         req_i,
    input  logic         flush_i,
    input  core_access_t access_i,
    output logic         ack_o,
    output core_answer_t answer_o,

    output logic         run_valid_o,
    output core_access_t run_access_o,
    input  logic         run_ready_i,
    input  core_answer_t run_answer_i
);

  // Asserted at once, released with the core clock.
  logic flush_n, flushed_meta_q, flushed_nq;
  assign flush_n = rst_ni && !flush_i;
  always_ff @(posedge clk_i or negedge flush_n) begin
    if (!flush_n) begin
      flushed_meta_q <= 1'b0;
      flushed_nq <= 1'b0;
    end else begin
      flushed_meta_q <= 1'b1;
      flushed_nq <= flushed_meta_q;
    end
  end

  logic req;
  bit_sync i_req (
      .clk_i,
      .rst_ni(flushed_nq),
      .d_i(req_i),
      .q_o(req)
  );

  // A flush as data: set without a clock, then seen by two edges at least.
  logic flush_seen;
  bit_sync #(
      .ResetValue(1'b1)
  ) i_flush_seen (
      .clk_i,
      .rst_ni(flushed_nq),
      .d_i(1'b0),
      .q_o(flush_seen)
  );

  typedef enum logic [1:0] {
    Idle,
    Run,
    Done
  } state_e;

  state_e state_q;
  logic dropped_q;  // the access runs, but no one waits for it any more
  core_access_t access_q;
  core_answer_t answer_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      dropped_q <= 1'b0;
      access_q <= '0;
    end else begin
      case (state_q)
        Idle: begin
          dropped_q <= 1'b0;
          if (req && !flush_seen) begin
            state_q <= Run;
            access_q <= access_i;
          end
        end
        Run: begin
          if (flush_seen) dropped_q <= 1'b1;
          if (run_ready_i) state_q <= dropped_q || flush_seen ? Idle : Done;
        end
        Done: if (!req) state_q <= Idle;
        default: state_q <= Idle;
      endcase
    end
  end

  // Without reset: an ack that the other side has sampled must still find its answer when the core is reset meanwhile.
  always_ff @(posedge clk_i) begin
    if (state_q == Run && run_ready_i) answer_q <= run_answer_i;
  end

  logic ack_q;
  always_ff @(posedge clk_i or negedge flushed_nq) begin
    if (!flushed_nq) ack_q <= 1'b0;
    else ack_q <= state_q == Done && req;
  end

  assign ack_o = ack_q;
  assign answer_o = answer_q;
  assign run_valid_o = state_q == Run;
  assign run_access_o = access_q;

endmodule
