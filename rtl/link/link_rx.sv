// The receiving half below packets: lanes, deskew, frames. The queues of the deskew stand where elastic buffers go once the two ends have
// clocks of their own.
module link_rx
  import link_pkg::*;
  import tern_pkg::NumLanes;
(
    input logic clk_i,
    input logic rst_ni,

    input logic   align_i,          // lanes may align
    input logic   restart_i,        // one cycle
    input logic   accept_start_i,   // START sets count
    input logic   data_enable_i,    // CONFIG and L0
    input logic   accept_i,         // L0: frames count
    input logic   fresh_i,          // no session, or a new one begins
    input logic   reversed_i,
    input lanes_t active_i,         // logical
    input lanes_t enabled_i,        // physical
    input lanes_t force_i,
    input lanes_t polarity_i,

    input word_t [NumLanes-1:0] rx_data_i,
    input lanes_t               rx_idle_i,

    // Per physical lane
    output word_t [NumLanes-1:0]     word_o,
    output lanes_t                   idle_o,
    output lanes_t                   locked_o,
    output lanes_t                   inverted_o,
    output logic [NumLanes-1:0][3:0] offset_o,
    output logic [NumLanes-1:0][3:0] lane_o,
    output lanes_t                   heard_o,
    output lanes_t                   set_valid_o,
    output set_t [NumLanes-1:0]      set_o,
    output lanes_t                   lock_lost_o,
    output lanes_t                   set_bad_o,

    output logic                     running_o,
    output logic                     overflow_o,
    output logic [NumLanes-1:0][3:0] depth_o,       // logical
    output lanes_t                   marker_bad_o,  // logical
    output logic                     marker_lost_o,

    output logic        slot_valid_o,  // of proven frames, in order
    output logic [1:0]  slot_kind_o,
    output logic [63:0] slot_o,
    output feedback_t   peer_o,
    output number_t     ack_o,
    output logic        nak_o,
    output logic        crc_error_o,  // one cycle each
    output logic        sequence_error_o,
    output logic        duplicate_o
);

  lanes_t data_valid;
  word_t [NumLanes-1:0] data, word;
  logic valid, raw_slot_valid;
  logic [63:0] raw_slot;
  logic [2:0] raw_slot_index;

  for (genvar l = 0; l < int'(NumLanes); l++) begin : gen_lane
    link_lane_rx u_lane (
        .clk_i,
        .rst_ni,
        .enable_i(align_i && enabled_i[l]),
        .restart_i,
        .accept_start_i,
        .polarity_force_i(force_i[l]),
        .polarity_value_i(polarity_i[l]),
        .rx_data_i(rx_data_i[l]),
        .rx_idle_i(rx_idle_i[l]),
        .word_o(word_o[l]),
        .idle_o(idle_o[l]),
        .locked_o(locked_o[l]),
        .inverted_o(inverted_o[l]),
        .offset_o(offset_o[l]),
        .lane_o(lane_o[l]),
        .lane_valid_o(heard_o[l]),
        .set_valid_o(set_valid_o[l]),
        .set_o(set_o[l]),
        .data_valid_o(data_valid[l]),
        .data_o(data[l]),
        .lock_lost_o(lock_lost_o[l]),
        .set_bad_o(set_bad_o[l])
    );
  end

  link_deskew u_deskew (
      .clk_i,
      .rst_ni,
      .enable_i(data_enable_i),
      .reversed_i,
      .active_i,
      .valid_i(data_valid),
      .word_i(data),
      .valid_o(valid),
      .word_o(word),
      .running_o,
      .overflow_o,
      .depth_o
  );

  link_stream_rx u_stream (
      .clk_i,
      .rst_ni,
      .enable_i(data_enable_i),
      .active_i,
      .valid_i(valid),
      .word_i(word),
      .slot_valid_o(raw_slot_valid),
      .slot_o(raw_slot),
      .slot_index_o(raw_slot_index),
      .marker_bad_o,
      .lost_o(marker_lost_o)
  );

  link_frame_rx u_frame (
      .clk_i,
      .rst_ni,
      .fresh_i,
      .enable_i(data_enable_i),
      .accept_i,
      .slot_valid_i(raw_slot_valid),
      .slot_i(raw_slot),
      .slot_index_i(raw_slot_index),
      .valid_o(slot_valid_o),
      .kind_o(slot_kind_o),
      .data_o(slot_o),
      .peer_o,
      .ack_o,
      .nak_o,
      .crc_error_o,
      .sequence_error_o,
      .duplicate_o
  );

endmodule
