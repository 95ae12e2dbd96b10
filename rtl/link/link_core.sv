// The link below its traffic: four lanes of 16 bits a core cycle. Trains, repairs what the board did to the lanes (skew, polarity, reversal,
// dead lanes), delivers flits of several classes once and in order as long as a session lives, and tests lanes by PRBS.
module link_core
  import link_pkg::*;
  import link_regs_pkg::*;
  import tern_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input  reg_req_t reg_req_i,
    output reg_rsp_t reg_rsp_o,

    // No session, or one cycle between two: whatever was under way is lost.
    output logic fresh_o,

    // Flits to the other end. A packet begins only with credit for all of it.
    input  flit_t                      flit_i,
    output logic                       flit_ready_o,
    output logic [NumClasses-1:0][7:0] available_o,

    // Flits from the other end, never more of a class than granted; its queues say what leaves them and, while fresh_o, what they hold.
    output logic                       slot_valid_o,
    output logic [1:0]                 slot_kind_o,  // head or body
    output logic [63:0]                slot_o,
    input  logic [NumClasses-1:0]      freed_i,
    input  logic [NumClasses-1:0][7:0] used_i,

    output logic [15:0]    bridge_timeout_o,
    input  bridge_events_t bridge_i,

    // Lanes; bit 0 of a word is the first on the wire. Idle: electrical idle.
    output logic [NumLanes-1:0][LaneWidth-1:0] tx_data_o,
    output logic [NumLanes-1:0]                tx_idle_o,
    input  logic [NumLanes-1:0][LaneWidth-1:0] rx_data_i,
    input  logic [NumLanes-1:0]                rx_idle_i,

    // The error sampler of the eye scan; it is analog, so it looks where these say, and gives what it sees of the word on rx_data_i.
    output logic       eye_run_o,
    output logic [1:0] eye_lane_o,
    output logic [5:0] eye_phase_o,
    output logic [6:0] eye_offset_o,
    input  logic [LaneWidth-1:0] eye_data_i,

    output logic       irq_o,
    output logic [3:0] activity_o  // two for each lane that sends, and more while a flit moves
);

  link_reg2hw_t cfg;
  link_hw2reg_status_t status;
  link_hw2reg_peer_t peer_status;
  link_hw2reg_irq_status_t irq_set;
  link_hw2reg_lane_status_t [NumLanes-1:0] lane_status;
  link_hw2reg_prbs_status_t [NumLanes-1:0] prbs_status;
  logic [NumCounters-1:0] events, twice;
  logic [NumLanes-1:0][63:0] prbs_bits;
  logic [NumLanes-1:0][31:0] prbs_errors;

  lanes_t enabled, active, active_rx, idle, locked, inverted, heard, set_valid, lock_lost, set_bad, marker_bad;
  lanes_t inject_load;
  logic [NumLanes-1:0][7:0] inject_count;
  logic [NumLanes-1:0][3:0] offset, lane, depth;
  word_t [NumLanes-1:0] word;
  set_t [NumLanes-1:0] set;
  set_t own_set, peer;
  logic reversed, align, restart, run, start, data_enable, data_on, running, overflow, marker_lost, moved, up, peer_heard;
  logic slot_valid, rx_flit, crc_error, sequence_error, unexpected_set, prbs_lock_lost;
  logic fresh, session_lost, duplicate, replay, nak, replay_timeout, replay_stuck, replay_stalls, told, sent, mismatch;
  logic [1:0] slot_kind;
  logic [3:0] timeouts;
  logic [63:0] slot;
  feedback_t told_feedback, peer_feedback;
  logic [1:0] credit_class;
  logic [2:0] credit;
  number_t ack;
  logic own_nak;
  identity_t identity;
  link_hw2reg_peer_serial_lo_t peer_serial_lo;
  link_hw2reg_peer_serial_hi_t peer_serial_hi;
  state_e state, from;
  cause_e cause, last_failure;

  assign up = state == StL0;
  assign sent = flit_i.valid && flit_ready_o;
  assign rx_flit = slot_valid && slot_kind != SlotIdentity;
  assign told_feedback = {1'b1, ack, own_nak, credit_class, credit};
  assign fresh_o = fresh;
  assign slot_valid_o = rx_flit;
  assign slot_kind_o = slot_kind;
  assign slot_o = slot;
  assign bridge_timeout_o = cfg.stable_timing.bridge_timeout;
  always_comb begin
    for (int unsigned l = 0; l < NumLanes; l++) begin
      inject_load[l] = cfg.prbs_inject[l].errors.pulse;
      inject_count[l] = cfg.prbs_inject[l].errors.value;
    end
  end

  link_training u_training (
      .clk_i,
      .rst_ni,
      .cfg_i(cfg),
      .idle_i(idle),
      .locked_i(locked),
      .lane_i(lane),
      .set_valid_i(set_valid),
      .set_i(set),
      .running_i(running),
      .overflow_i(overflow),
      .marker_lost_i(marker_lost),
      .frame_good_i(peer_feedback.valid),
      .crc_error_i(crc_error),
      .data_on_i(data_on),
      .replay_stuck_i(replay_stuck),
      .replay_stalls_i(replay_stalls),
      .enabled_o(enabled),
      .active_o(active),
      .active_rx_o(active_rx),
      .reversed_o(reversed),
      .align_o(align),
      .restart_o(restart),
      .run_o(run),
      .start_o(start),
      .data_enable_o(data_enable),
      .fresh_o(fresh),
      .session_lost_o(session_lost),
      .set_o(own_set),
      .state_o(state),
      .cause_o(cause),
      .last_failure_o(last_failure),
      .moved_o(moved),
      .from_o(from),
      .timeout_o(timeouts),
      .unexpected_set_o(unexpected_set),
      .peer_heard_o(peer_heard),
      .peer_o(peer)
  );

  link_rx u_rx (
      .clk_i,
      .rst_ni,
      .align_i(align),
      .restart_i(restart),
      .accept_start_i(state == StConfig),
      .data_enable_i(data_enable),
      .accept_i(up),
      .fresh_i(fresh),
      .reversed_i(reversed),
      .active_i(active),
      .enabled_i(enabled),
      .force_i(cfg.ctrl.polarity_force),
      .polarity_i(cfg.ctrl.polarity_value),
      .rx_data_i,
      .rx_idle_i,
      .word_o(word),
      .idle_o(idle),
      .locked_o(locked),
      .inverted_o(inverted),
      .offset_o(offset),
      .lane_o(lane),
      .heard_o(heard),
      .set_valid_o(set_valid),
      .set_o(set),
      .lock_lost_o(lock_lost),
      .set_bad_o(set_bad),
      .running_o(running),
      .overflow_o(overflow),
      .depth_o(depth),
      .marker_bad_o(marker_bad),
      .marker_lost_o(marker_lost),
      .slot_valid_o(slot_valid),
      .slot_kind_o(slot_kind),
      .slot_o(slot),
      .peer_o(peer_feedback),
      .ack_o(ack),
      .nak_o(own_nak),
      .crc_error_o(crc_error),
      .sequence_error_o(sequence_error),
      .duplicate_o(duplicate)
  );

  link_tx u_tx (
      .clk_i,
      .rst_ni,
      .run_i(run),
      .restart_i(restart),
      .start_i(start),
      .up_i(up),
      .fresh_i(fresh),
      .set_i(own_set),
      .enabled_i(enabled),
      .active_i(active),
      .data_on_o(data_on),
      .prbs_enable_i(cfg.prbs_ctrl.tx_enable),
      .prbs_select_i(cfg.prbs_ctrl.select),
      .inject_load_i(inject_load),
      .inject_count_i(inject_count),
      .replay_timeout_i(cfg.replay_timing.timeout),
      .replay_limit_i(cfg.replay_timing.limit),
      .own_i(told_feedback),
      .peer_i(peer_feedback),
      .told_o(told),
      .replay_stuck_o(replay_stuck),
      .replay_stalls_o(replay_stalls),
      .replay_o(replay),
      .nak_o(nak),
      .replay_timeout_o(replay_timeout),
      .identity_i(identity),
      .flit_i,
      .flit_ready_o,
      .tx_data_o,
      .tx_idle_o
  );

  link_credits u_credits (
      .clk_i,
      .rst_ni,
      .fresh_i(fresh),
      .freed_i,
      .used_i,
      .told_i(told),
      .class_o(credit_class),
      .credit_o(credit),
      .feedback_i(peer_feedback),
      .sent_i(sent),
      .sent_class_i(flit_i.traffic),
      .available_o
  );

  link_identity u_identity (
      .clk_i,
      .rst_ni,
      .cfg_i(cfg),
      .fresh_i(fresh),
      .valid_i(slot_valid && slot_kind == SlotIdentity),
      .identity_i(slot),
      .own_o(identity),
      .peer_lo_o(peer_serial_lo),
      .peer_hi_o(peer_serial_hi),
      .mismatch_o(mismatch)
  );

  link_hw2reg_eye_status_t eye_status;
  link_hw2reg_eye_bits_t eye_bits;
  link_hw2reg_eye_errors_t eye_errors;
  link_eye u_eye (
      .clk_i,
      .rst_ni,
      .cfg_i(cfg),
      .run_o(eye_run_o),
      .lane_o(eye_lane_o),
      .phase_o(eye_phase_o),
      .offset_o(eye_offset_o),
      .rx_data_i,
      .rx_idle_i,
      .eye_i(eye_data_i),
      .status_o(eye_status),
      .bits_o(eye_bits),
      .errors_o(eye_errors)
  );

  link_prbs u_prbs (
      .clk_i,
      .rst_ni,
      .enable_i(cfg.prbs_ctrl.rx_enable),
      .select_i(cfg.prbs_ctrl.select),
      .clear_i(cfg.prbs_command.clear.pulse && cfg.prbs_command.clear.value),
      .snapshot_i(cfg.prbs_command.snapshot.pulse && cfg.prbs_command.snapshot.value),
      .idle_i(idle),
      .word_i(word),
      .status_o(prbs_status),
      .bits_o(prbs_bits),
      .errors_o(prbs_errors),
      .lock_lost_o(prbs_lock_lost)
  );

  link_observe u_observe (
      .clk_i,
      .rst_ni,
      .cfg_i(cfg),
      .state_i(state),
      .from_i(from),
      .moved_i(moved),
      .cause_i(cause),
      .last_failure_i(last_failure),
      .timeouts_i(timeouts),
      .active_i(active),
      .active_rx_i(active_rx),
      .reversed_i(reversed),
      .peer_heard_i(peer_heard),
      .peer_i(peer),
      .idle_i(idle),
      .locked_i(locked),
      .inverted_i(inverted),
      .heard_i(heard),
      .lane_i(lane),
      .offset_i(offset),
      .depth_i(depth),
      .crc_error_i(crc_error),
      .sequence_error_i(sequence_error),
      .duplicate_i(duplicate),
      .replay_i(replay),
      .nak_i(nak),
      .replay_timeout_i(replay_timeout),
      .session_lost_i(session_lost),
      .mismatch_i(mismatch),
      .lock_lost_i(lock_lost),
      .marker_lost_i(marker_lost),
      .deskew_overflow_i(overflow),
      .unexpected_set_i(unexpected_set),
      .bridge_i,
      .live_i(!fresh),
      .tx_flit_i(sent),
      .rx_flit_i(rx_flit),
      .set_bad_i(set_bad),
      .marker_bad_i(marker_bad),
      .prbs_lock_lost_i(prbs_lock_lost),
      .tx_idle_i(tx_idle_o),
      .status_o(status),
      .peer_o(peer_status),
      .irq_set_o(irq_set),
      .lane_status_o(lane_status),
      .events_o(events),
      .twice_o(twice),
      .irq_o,
      .activity_o
  );

  link_csr u_csr (
      .clk_i,
      .rst_ni,
      .reg_req_i,
      .reg_rsp_o,
      .reg2hw_o(cfg),
      .status_i(status),
      .peer_i(peer_status),
      .peer_serial_lo_i(peer_serial_lo),
      .peer_serial_hi_i(peer_serial_hi),
      .irq_i(irq_set),
      .lane_status_i(lane_status),
      .moved_i(moved),
      .from_i(from),
      .state_i(state),
      .cause_i(cause),
      .prbs_status_i(prbs_status),
      .prbs_bits_i(prbs_bits),
      .prbs_errors_i(prbs_errors),
      .eye_status_i(eye_status),
      .eye_bits_i(eye_bits),
      .eye_errors_i(eye_errors),
      .events_i(events),
      .twice_i(twice)
  );

endmodule
