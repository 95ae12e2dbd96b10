// The transmitting half below packets: frames, ordered sets, lanes.
module link_tx
  import link_pkg::*;
  import tern_pkg::NumLanes;
(
    input logic clk_i,
    input logic rst_ni,

    input logic   run_i,      // the training machine is not in DISABLED
    input logic   restart_i,  // one cycle: back to ordered sets
    input logic   start_i,    // both ends agreed: START sets, then data
    input logic   up_i,       // flits may enter
    input logic   fresh_i,    // no session, or a new one begins
    input set_t   set_i,
    input lanes_t enabled_i,  // lanes that send ordered sets
    input lanes_t active_i,   // lanes that send data
    output logic  data_on_o,

    input lanes_t                    prbs_enable_i,
    input logic [1:0]                prbs_select_i,
    input lanes_t                    inject_load_i,
    input logic [NumLanes-1:0][7:0]  inject_count_i,

    // Replay
    input  logic [7:0] replay_timeout_i,
    input  logic [7:0] replay_limit_i,
    input  feedback_t  own_i,
    input  feedback_t  peer_i,
    output logic       told_o,
    output logic       replay_stuck_o,
    output logic       replay_stalls_o,
    output logic       replay_o,  // one cycle each
    output logic       nak_o,
    output logic       replay_timeout_o,

    input  identity_t identity_i,
    input  flit_t     flit_i,
    output logic      flit_ready_o,

    output word_t [NumLanes-1:0] tx_data_o,
    output lanes_t               tx_idle_o
);

  logic set_valid, data_on, take;
  word_t [NumLanes-1:0] set_word, data_word;
  logic [63:0] slot;

  link_set_tx u_sets (
      .clk_i,
      .rst_ni,
      .run_i,
      .clear_i(restart_i),
      .start_i,
      .set_i,
      .set_valid_o(set_valid),
      .set_word_o(set_word),
      .data_on_o(data_on)
  );

  // Whenever the link comes up, it says first who speaks.
  logic introduced_q, ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) introduced_q <= 1'b0;
    else if (!up_i || fresh_i) introduced_q <= 1'b0;
    else if (ready) introduced_q <= 1'b1;
  end
  assign flit_ready_o = ready && introduced_q;

  link_frame_tx u_frame (
      .clk_i,
      .rst_ni,
      .fresh_i,
      .enable_i(data_on),
      .accept_i(up_i),
      .timeout_i(replay_timeout_i),
      .limit_i(replay_limit_i),
      .own_i,
      .peer_i,
      .take_i(take),
      .slot_o(slot),
      .valid_i(!introduced_q || flit_i.valid),
      .kind_i(!introduced_q ? SlotIdentity : flit_i.head ? SlotHead : SlotBody),
      .data_i(introduced_q ? flit_i.data : identity_i),
      .ready_o(ready),
      .told_o,
      .stuck_o(replay_stuck_o),
      .stalls_o(replay_stalls_o),
      .replay_o,
      .nak_o,
      .timeout_o(replay_timeout_o)
  );

  link_stream_tx u_stream (
      .clk_i,
      .rst_ni,
      .enable_i(data_on),
      .active_i,
      .take_o(take),
      .slot_i(slot),
      .word_o(data_word)
  );

  for (genvar l = 0; l < int'(NumLanes); l++) begin : gen_lane
    link_lane_tx #(
        .Lane(2'(l))
    ) u_lane (
        .clk_i,
        .rst_ni,
        .set_valid_i(set_valid && enabled_i[l]),
        .set_word_i(set_word[l]),
        .data_valid_i(data_on && active_i[l]),
        .data_word_i(data_word[l]),
        .prbs_enable_i(prbs_enable_i[l]),
        .prbs_select_i,
        .inject_load_i(inject_load_i[l]),
        .inject_count_i(inject_count_i[l]),
        .tx_data_o(tx_data_o[l]),
        .tx_idle_o(tx_idle_o[l])
    );
  end

  assign data_on_o = data_on;

  logic unused;
  assign unused = ^{flit_i.last, flit_i.traffic};

endmodule
