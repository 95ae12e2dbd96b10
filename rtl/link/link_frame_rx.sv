// Checks frames and puts them in order. The slots of a frame are let out, one a cycle, only after its CRC has proven them and no frame before
// it is missing; whatever else arrives is sent again by the other end. docs/link.md, "Replay".
module link_frame_rx
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic        fresh_i,      // forgets everything; while 1
    input logic        enable_i,     // the lanes bring slots
    input logic        accept_i,     // frames count
    input logic        slot_valid_i,
    input logic [63:0] slot_i,
    input logic [2:0]  slot_index_i,

    output logic        valid_o,
    output logic [1:0]  kind_o,
    output logic [63:0] data_o,

    output feedback_t peer_o,  // of the last good frame
    output number_t   ack_o,   // to be told
    output logic      nak_o,

    output logic crc_error_o,       // one cycle each
    output logic sequence_error_o,  // good, but one before it is missing
    output logic duplicate_o
);

  logic [6:0][63:0] gather_q, drain_q;
  logic [6:0][1:0] kinds_q;
  logic [31:0] crc_q, crc_low, crc_high;
  number_t expect_q, seen_q, ahead;
  logic gap_q, nak_q;
  control_t control;
  feedback_t peer_q;
  logic ends, good, empty, fits, future, again, asks;

  assign control = slot_i;
  assign ends = slot_valid_i && slot_index_i == ControlSlot;

  always_comb begin
    crc_low = '0;
    crc_high = '0;
    if (slot_valid_i) begin
      crc_low = crc32_word(crc_q, slot_i[31:0]);
      if (slot_index_i != ControlSlot) crc_high = crc32_word(crc_low, slot_i[63:32]);
    end
  end

  assign good = ends && accept_i && control.crc == ~crc_low;
  assign empty = control.kinds == '0;
  assign ahead = control.sequence_number - expect_q;
  assign fits = good && !empty && ahead == '0;
  // An empty frame bears the number of the next, and so tells what was lost before it.
  assign future = good && ahead != '0 && ahead < Window;
  assign again = good && !empty && ahead >= Window;
  // One nak a loss. Numbers that went back without the one that is expected: it was lost again.
  assign asks = future && (!gap_q || (!empty && ahead <= seen_q - expect_q));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gather_q         <= '0;
      drain_q          <= '0;
      kinds_q          <= '0;
      crc_q            <= '1;
      expect_q         <= '0;
      seen_q           <= '0;
      gap_q            <= 1'b0;
      nak_q            <= 1'b0;
      peer_q           <= '0;
      crc_error_o      <= 1'b0;
      sequence_error_o <= 1'b0;
      duplicate_o      <= 1'b0;
    end else begin
      crc_error_o      <= ends && accept_i && !good;
      sequence_error_o <= future && !empty;
      duplicate_o      <= again;
      peer_q.valid     <= good;
      if (good) begin
        peer_q.ack          <= control.ack;
        peer_q.nak          <= control.nak;
        peer_q.credit_class <= control.credit_class;
        peer_q.credit       <= control.credit;
      end

      if (!enable_i || ends) crc_q <= '1;
      else if (slot_valid_i) begin
        crc_q    <= crc_high;
        gather_q <= {slot_i, gather_q[6:1]};
      end

      if (fresh_i) begin
        expect_q <= '0;
        gap_q    <= 1'b0;
        nak_q    <= 1'b0;
        kinds_q  <= '0;
      end else begin
        if (fits) begin
          expect_q <= expect_q + 6'd1;
          kinds_q  <= control.kinds;
          drain_q  <= gather_q;
        end else if (kinds_q != '0) begin
          kinds_q <= {2'd0, kinds_q[6:1]};
          drain_q <= {64'd0, drain_q[6:1]};
        end
        if (!enable_i || fits || again) gap_q <= 1'b0;  // from here on in order, or asked for anew
        else if (future) gap_q <= 1'b1;
        if (future) seen_q <= empty ? control.sequence_number - 6'd1 : control.sequence_number;
        if (asks) nak_q <= !nak_q;
      end
    end
  end

  assign peer_o = peer_q;
  assign ack_o = expect_q;
  assign nak_o = nak_q;
  assign valid_o = kinds_q[0] != SlotIdle;
  assign kind_o = kinds_q[0];
  assign data_o = drain_q[0];

`ifndef SYNTHESIS
  // A frame has drained before the next one is whole.
  assert property (@(posedge clk_i) disable iff (!rst_ni) fits |-> kinds_q[6:1] == '0);
`endif

endmodule
