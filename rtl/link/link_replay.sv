// Keeps the frames that the other end has not acknowledged, and says what the next frame is: one of them again, a new one, or an empty one.
// Go-back-N: a changed nak, or silence, sends everything again from the oldest. docs/link.md, "Replay".
module link_replay
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic       fresh_i,    // forgets everything; while 1
    input logic       enable_i,   // frames run; when they begin, all that waits goes first
    input logic       accept_i,   // frames may have something in them
    input logic [7:0] timeout_i,  // frames sent without progress; 0: never
    input logic [7:0] limit_i,    // times to go back without progress; 0: for ever

    input feedback_t feedback_i,

    input  logic            take_i,
    input  logic [2:0]      index_i,
    output logic [1:0]      kind_o,
    output logic [63:0]     slot_o,
    output logic [6:0][1:0] kinds_o,  // with the control slot
    output number_t         number_o, // of the frame; of an empty one that of the next

    input  logic        valid_i,
    input  logic [1:0]  kind_i,
    input  logic [63:0] data_i,
    output logic        ready_o,

    output logic stuck_o,   // the limit is reached
    output logic stalls_o,  // went back, and nothing was acknowledged since
    output logic replay_o,  // one cycle each
    output logic nak_o,
    output logic timeout_o
);

  typedef enum logic [1:0] {
    Empty,
    New,
    Again
  } mode_e;

  logic [63:0] mem_q[256];
  logic [6:0][1:0] kinds_mem_q[32];
  number_t base_q, tail_q, next_q, current_q, next, current, progress, outstanding;
  mode_e mode_q, mode;
  logic [6:0][1:0] kinds_q;
  logic [7:0] silence_q, strikes_q;
  logic nak_q, back_q, begun_q;
  logic begins, ends, commits, cut, moves, naks, expires, goes_back;

  assign outstanding = tail_q - base_q;
  assign next = next_q - base_q > outstanding ? base_q : next_q;  // it was acknowledged meanwhile
  assign begins = take_i && index_i == '0;
  assign ends = take_i && index_i == ControlSlot;

  always_comb begin
    mode = mode_q;
    current = current_q;
    if (begins) begin
      current = next;
      mode = !accept_i ? Empty : next != tail_q ? Again : outstanding != Window ? New : Empty;
    end
  end

  assign ready_o = take_i && index_i != ControlSlot && mode == New;
  always_comb begin
    kind_o = SlotIdle;
    slot_o = '0;
    if (take_i && index_i != ControlSlot) begin
      if (mode == New && valid_i) begin
        kind_o = kind_i;
        slot_o = data_i;
      end else if (mode == Again) begin
        kind_o = kinds_mem_q[current[4:0]][index_i];
        if (kind_o != SlotIdle) slot_o = mem_q[{current[4:0], index_i}];
      end
    end
  end
  assign kinds_o = kinds_q;
  assign number_o = current_q;

  // A frame that is cut off by a retraining waits like any other.
  assign cut = !enable_i && index_i != '0;
  assign commits = mode_q == New && kinds_q != '0 && (ends || cut);

  assign progress = feedback_i.ack - base_q;
  assign moves = feedback_i.valid && progress != '0 && progress <= outstanding;
  assign naks = feedback_i.valid && feedback_i.nak != nak_q;
  assign expires = ends && timeout_i != '0 && silence_q >= timeout_i && outstanding != '0;
  assign goes_back = ends && (back_q || naks || expires);

  always_ff @(posedge clk_i) begin
    if (ready_o && valid_i) mem_q[{current[4:0], index_i}] <= data_i;
    if (commits) kinds_mem_q[tail_q[4:0]] <= kinds_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      base_q    <= '0;
      tail_q    <= '0;
      next_q    <= '0;
      current_q <= '0;
      mode_q    <= Empty;
      kinds_q   <= '0;
      silence_q <= '0;
      strikes_q <= '0;
      nak_q     <= 1'b0;
      back_q    <= 1'b0;
      begun_q   <= 1'b0;
    end else if (fresh_i) begin
      base_q    <= '0;
      tail_q    <= '0;
      next_q    <= '0;
      current_q <= '0;
      mode_q    <= Empty;
      kinds_q   <= '0;
      silence_q <= '0;
      strikes_q <= '0;
      nak_q     <= 1'b0;
      back_q    <= 1'b0;
      begun_q   <= 1'b0;
    end else begin
      begun_q <= enable_i;
      if (moves) base_q <= feedback_i.ack;
      if (feedback_i.valid) nak_q <= feedback_i.nak;
      if (commits) tail_q <= tail_q + 6'd1;

      if (take_i) begin
        mode_q    <= mode;
        current_q <= current;
        if (index_i != ControlSlot) kinds_q[index_i] <= kind_o;
        else kinds_q <= '0;
      end else if (!enable_i) begin
        mode_q  <= Empty;
        kinds_q <= '0;
      end

      if (!enable_i || goes_back) next_q <= moves ? feedback_i.ack : base_q;
      else if (ends && mode_q != Empty && !(mode_q == New && kinds_q == '0)) next_q <= current_q + 6'd1;

      if (!enable_i || goes_back) back_q <= 1'b0;
      else if (naks) back_q <= 1'b1;

      if (!enable_i || moves || goes_back) silence_q <= '0;
      else if (ends && outstanding != '0 && silence_q != '1) silence_q <= silence_q + 8'd1;
      if (!enable_i || moves) strikes_q <= '0;
      else if (goes_back && outstanding != '0 && strikes_q != '1) strikes_q <= strikes_q + 8'd1;
    end
  end

  logic unused;
  assign unused = ^{feedback_i.credit_class, feedback_i.credit};

  assign stalls_o = strikes_q != '0;
  assign stuck_o = limit_i != '0 && strikes_q >= limit_i;
  assign nak_o = naks;
  assign timeout_o = expires && !back_q && !naks;
  assign replay_o = outstanding != '0 && (goes_back || (enable_i && !begun_q));

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) outstanding <= Window);
  assert property (@(posedge clk_i) disable iff (!rst_ni || fresh_i) next - base_q <= outstanding);
  assert property (@(posedge clk_i) disable iff (!rst_ni || fresh_i) feedback_i.valid |-> progress <= outstanding);
`endif

endmodule
