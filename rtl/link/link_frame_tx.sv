// Builds frames: seven slots of flits or idle, then the control slot that says what they were, their sequence number and the CRC.
module link_frame_tx
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic enable_i,  // frames run
    input logic accept_i,  // flits may enter; else all slots are idle

    input  logic        take_i,
    output logic [63:0] slot_o,

    input  flit_t flit_i,
    output logic  flit_ready_o
);

  logic [2:0] index_q;
  logic [6:0][1:0] kinds_q;
  logic [7:0] sequence_q;
  logic [31:0] crc_q, crc_d;
  logic [63:0] slot;
  logic [1:0] kind;
  logic is_control;
  logic [31:0] control;

  assign is_control = index_q == ControlSlot;
  assign flit_ready_o = take_i && !is_control && accept_i;
  assign kind = !(flit_i.valid && accept_i) ? SlotIdle : flit_i.head ? SlotHead : SlotBody;
  assign control = {2'b00, kinds_q, 8'd0, sequence_q};

  always_comb begin
    slot = '0;
    crc_d = crc_q;
    if (take_i) begin
      if (is_control) slot = {~crc32_word(crc_q, control), control};
      else begin
        if (kind != SlotIdle) slot = flit_i.data;
        crc_d = crc32_word(crc32_word(crc_q, slot[31:0]), slot[63:32]);
      end
    end
  end
  assign slot_o = slot;

  logic unused;
  assign unused = flit_i.last;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q    <= '0;
      kinds_q    <= '0;
      sequence_q <= '0;
      crc_q      <= '1;
    end else if (!enable_i) begin
      index_q    <= '0;
      kinds_q    <= '0;
      sequence_q <= '0;
      crc_q      <= '1;
    end else if (take_i) begin
      index_q <= index_q + 3'd1;
      if (is_control) begin
        sequence_q <= sequence_q + 8'd1;
        crc_q      <= '1;
      end else begin
        kinds_q <= {kind, kinds_q[6:1]};
        crc_q   <= crc_d;
      end
    end
  end

endmodule
