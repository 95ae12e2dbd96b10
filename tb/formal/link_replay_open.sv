// The two ends of replay in one direction: the sender's buffer, and what the receiver makes of a frame's number.
module link_replay_open
  import link_pkg::*;
(
    input logic       clk_i,
    input logic       rst_ni,
    input logic [7:0] timeout,

    // The sender
    input logic      enable_i,
    input logic      accept_i,
    input logic      take_i,
    input logic      valid_i,
    input feedback_t feedback_i,

    // The receiver
    input logic     rx_valid_i,
    input control_t rx_control_i
);
  logic [2:0] index_q;
  logic [1:0] kind;
  logic [63:0] slot;
  logic [6:0][1:0] kinds;
  number_t number;
  logic ready, stuck, stalls, replay, nak, by_time;
  logic rx_slot, rx_crc, rx_sequence, rx_duplicate, rx_nak;
  logic [1:0] rx_kind;
  logic [63:0] rx_data;
  feedback_t rx_peer;
  number_t rx_ack;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) index_q <= '0;
    else if (!enable_i) index_q <= '0;
    else if (take_i) index_q <= index_q + 3'd1;
  end

  link_replay u_replay (
      .clk_i,
      .rst_ni,
      .fresh_i(1'b0),
      .enable_i,
      .accept_i,
      .timeout_i(timeout),
      .limit_i(8'd8),
      .feedback_i,
      .take_i(take_i && enable_i),
      .index_i(index_q),
      .kind_o(kind),
      .slot_o(slot),
      .kinds_o(kinds),
      .number_o(number),
      .valid_i,
      .kind_i(2'd1),
      .data_i(64'd0),
      .ready_o(ready),
      .stuck_o(stuck),
      .stalls_o(stalls),
      .replay_o(replay),
      .nak_o(nak),
      .timeout_o(by_time)
  );

  link_frame_rx u_rx (
      .clk_i,
      .rst_ni,
      .fresh_i(1'b0),
      .enable_i(1'b1),
      .accept_i(1'b1),
      .slot_valid_i(rx_valid_i),
      .slot_i(rx_control_i),
      .slot_index_i(ControlSlot),
      .valid_o(rx_slot),
      .kind_o(rx_kind),
      .data_o(rx_data),
      .peer_o(rx_peer),
      .ack_o(rx_ack),
      .nak_o(rx_nak),
      .crc_error_o(rx_crc),
      .sequence_error_o(rx_sequence),
      .duplicate_o(rx_duplicate)
  );
endmodule
