// Builds frames: seven slots, then the control slot that says what they were, the frame's number, what the receiver has to tell, and the CRC.
module link_frame_tx
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic       fresh_i,   // forget the frames of before
    input logic       enable_i,  // frames run
    input logic       accept_i,  // flits may enter; else all frames are empty
    input logic [7:0] timeout_i,
    input logic [7:0] limit_i,

    input feedback_t own_i,   // to be told
    input feedback_t peer_i,  // was told

    input  logic        take_i,
    output logic [63:0] slot_o,

    input  logic        valid_i,
    input  logic [1:0]  kind_i,
    input  logic [63:0] data_i,
    output logic        ready_o,

    output logic told_o,  // one cycle: own_i was taken
    output logic stuck_o,
    output logic stalls_o,
    output logic replay_o,
    output logic nak_o,
    output logic timeout_o
);

  logic [2:0] index_q;
  logic [31:0] crc_q, crc_d;
  logic [63:0] slot, held;
  logic [1:0] kind;
  logic [6:0][1:0] kinds;
  number_t number;
  logic is_control;
  logic [31:0] control;

  link_replay u_replay (
      .clk_i,
      .rst_ni,
      .fresh_i,
      .enable_i,
      .accept_i,
      .timeout_i,
      .limit_i,
      .feedback_i(peer_i),
      .take_i,
      .index_i(index_q),
      .kind_o(kind),
      .slot_o(held),
      .kinds_o(kinds),
      .number_o(number),
      .valid_i,
      .kind_i,
      .data_i,
      .ready_o,
      .stuck_o,
      .stalls_o,
      .replay_o,
      .nak_o,
      .timeout_o
  );

  assign is_control = index_q == ControlSlot;
  assign control = {kinds, own_i.credit, own_i.credit_class, own_i.nak, own_i.ack, number};
  assign told_o = take_i && is_control;

  always_comb begin
    slot = '0;
    crc_d = crc_q;
    if (take_i) begin
      if (is_control) slot = {~crc32_word(crc_q, control), control};
      else begin
        slot = held;
        crc_d = crc32_word(crc32_word(crc_q, held[31:0]), held[63:32]);
      end
    end
  end
  assign slot_o = slot;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q <= '0;
      crc_q   <= '1;
    end else if (!enable_i) begin
      index_q <= '0;
      crc_q   <= '1;
    end else if (take_i) begin
      index_q <= index_q + 3'd1;
      crc_q   <= is_control ? '1 : crc_d;
    end
  end

  logic unused;
  assign unused = ^{kind, own_i.valid};

endmodule
