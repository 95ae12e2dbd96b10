// Checks frames. The slots of a frame are let out, one a cycle, only after its CRC has proven them; a bad frame leaves nothing but an abort.
module link_frame_rx
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic        enable_i,
    input logic        slot_valid_i,
    input logic [63:0] slot_i,
    input logic [2:0]  slot_index_i,

    output logic        valid_o,
    output logic [1:0]  kind_o,
    output logic [63:0] data_o,
    output logic        abort_o,           // one cycle: whatever packet was open has lost a part
    output logic        crc_error_o,       // one cycle each
    output logic        sequence_error_o
);

  logic [6:0][63:0] gather_q, drain_q;
  logic [6:0][1:0] kinds_q;
  logic [31:0] crc_q, crc_low, crc_high;
  logic [7:0] expect_q;
  control_t control;
  logic ends, good, in_order;

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
  assign good = control.crc == ~crc_low && control.zero == '0;
  assign in_order = control.sequence_number == expect_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      gather_q         <= '0;
      drain_q          <= '0;
      kinds_q          <= '0;
      crc_q            <= '1;
      expect_q         <= '0;
      abort_o          <= 1'b0;
      crc_error_o      <= 1'b0;
      sequence_error_o <= 1'b0;
    end else if (!enable_i) begin
      kinds_q          <= '0;
      crc_q            <= '1;
      expect_q         <= '0;
      abort_o          <= 1'b1;
      crc_error_o      <= 1'b0;
      sequence_error_o <= 1'b0;
    end else begin
      abort_o          <= ends && (!good || !in_order);
      crc_error_o      <= ends && !good;
      sequence_error_o <= ends && good && !in_order;
      if (kinds_q != '0) begin
        kinds_q <= {2'd0, kinds_q[6:1]};
        drain_q <= {64'd0, drain_q[6:1]};
      end
      if (ends) begin
        crc_q    <= '1;
        expect_q <= (good ? control.sequence_number : expect_q) + 8'd1;
        if (good) begin
          kinds_q <= control.kinds;
          drain_q <= gather_q;
        end
      end else if (slot_valid_i) begin
        crc_q    <= crc_high;
        gather_q <= {slot_i, gather_q[6:1]};
      end
    end
  end

  logic unused;
  assign unused = ^control.ack;

  assign valid_o = kinds_q[0] != SlotIdle;
  assign kind_o = kinds_q[0];
  assign data_o = drain_q[0];

endmodule
