// Training: the state machine, what it negotiates, what it says, and when running data is too bad to go on.
module link_training
  import link_pkg::*;
  import link_regs_pkg::*;
  import tern_pkg::NumLanes;
(
    input logic clk_i,
    input logic rst_ni,

    input link_reg2hw_t cfg_i,

    // From the receiver, physical lanes
    input lanes_t                   idle_i,
    input lanes_t                   locked_i,
    input logic [NumLanes-1:0][3:0] lane_i,
    input lanes_t                   set_valid_i,
    input set_t [NumLanes-1:0]      set_i,
    input logic                     running_i,
    input logic                     overflow_i,
    input logic                     marker_lost_i,
    input logic                     frame_good_i,
    input logic                     crc_error_i,
    input logic                     data_on_i,  // our data runs
    input logic                     replay_stuck_i,
    input logic                     replay_stalls_i,

    // To both halves
    output lanes_t enabled_o,       // physical
    output lanes_t active_o,        // logical
    output lanes_t active_rx_o,     // physical receive lanes
    output logic   reversed_o,
    output logic   align_o,
    output logic   restart_o,
    output logic   run_o,
    output logic   start_o,
    output logic   data_enable_o,
    output logic   fresh_o,         // no session, or a new one begins
    output logic   session_lost_o,  // one cycle
    output set_t   set_o,

    output state_e     state_o,
    output cause_e     cause_o,
    output cause_e     last_failure_o,
    output logic       moved_o,
    output state_e     from_o,
    output logic [3:0] timeout_o,
    output logic       unexpected_set_o,
    output logic       peer_heard_o,
    output set_t       peer_o
);

  lanes_t enabled, active, active_rx, rx_ok;
  logic map_known, map_reversed, reversed, agreed, no_common, too_many, enter_config, set_active, known_kind;
  logic enter_l0, hot_reset, resume, conflict, peer_hot;
  state_e state;

  assign enabled = ~cfg_i.ctrl.lane_disable;
  assign active_rx = reversed ? reverse_lanes(active) : active;
  assign set_active = (set_valid_i & active_rx) != '0;

  link_config u_config (
      .clk_i,
      .rst_ni,
      .enter_i(enter_config),
      .active_state_i(state == StConfig),
      .allow_reversal_i(cfg_i.ctrl.allow_reversal),
      .max_width_i(cfg_i.ctrl.max_width),
      .locked_i,
      .lane_i,
      .set_valid_i,
      .set_i,
      .map_known_o(map_known),
      .map_reversed_o(map_reversed),
      .reversed_o(reversed),
      .rx_ok_o(rx_ok),
      .mask_o(active),
      .agreed_o(agreed),
      .no_common_o(no_common),
      .start_o,
      .peer_heard_o,
      .peer_o
  );

  link_health u_health (
      .clk_i,
      .rst_ni,
      .enable_i(state == StL0),
      .good_i(frame_good_i),
      .crc_error_i,
      .limit_i(cfg_i.limits.crc),
      .too_many_o(too_many)
  );

  link_ltssm u_ltssm (
      .clk_i,
      .rst_ni,
      .enable_i(cfg_i.ctrl.enable),
      .prbs_mode_i(cfg_i.prbs_ctrl.tx_enable != '0),
      .retrain_i(cfg_i.command.retrain.pulse && cfg_i.command.retrain.value),
      .hot_reset_i(cfg_i.command.hot_reset.pulse && cfg_i.command.hot_reset.value),
      .lanes_enabled_i(enabled),
      .detect_timeout_i(cfg_i.detect_timing.timeout),
      .detect_settle_i(cfg_i.detect_timing.settle),
      .polling_timeout_i(cfg_i.polling_timing.timeout),
      .polling_settle_i(cfg_i.polling_timing.settle),
      .config_timeout_i(cfg_i.config_timing.config_timeout),
      .recovery_timeout_i(cfg_i.config_timing.recovery_timeout),
      .stable_cycles_i(cfg_i.stable_timing.stable),
      .detect_limit_i(cfg_i.limits.detect),
      .retry_limit_i(cfg_i.limits.retry),
      .recovery_limit_i(cfg_i.limits.recovery),
      .idle_i,
      .locked_i,
      .active_physical_i(active_rx),
      .set_valid_i(set_active),
      .map_known_i(map_known),
      .map_reversed_i(map_reversed),
      .allow_reversal_i(cfg_i.ctrl.allow_reversal),
      .no_common_i(no_common),
      .deskew_overflow_i(overflow_i),
      .trained_i(data_on_i && running_i),
      .crc_limit_i(too_many),
      .marker_lost_i,
      .replay_stuck_i,
      .replay_stalls_i,
      .conflict_i(conflict),
      .peer_hot_i(peer_hot),
      .peer_hot_last_i(peer_o.hot_reset),
      .state_o(state),
      .cause_o,
      .last_failure_o,
      .moved_o,
      .from_o,
      .restart_o,
      .enter_config_o(enter_config),
      .enter_l0_o(enter_l0),
      .hot_reset_o(hot_reset),
      .timeout_o
  );

  link_session u_session (
      .clk_i,
      .rst_ni,
      .enter_config_i(enter_config),
      .enter_l0_i(enter_l0),
      .start_i(start_o),
      .drop_i(state == StDisabled || state == StDetect),
      .peer_i(peer_o),
      .resume_o(resume),
      .fresh_o,
      .lost_o(session_lost_o),
      .conflict_o(conflict)
  );

  always_comb begin
    set_o = '0;
    set_o.kind = state == StConfig ? SetTs2 : SetTs1;
    set_o.version = SetVersion;
    set_o.rx_ok = state == StConfig ? rx_ok : '0;
    set_o.mask = state == StConfig ? active : '0;
    set_o.agreed = state == StConfig && agreed;
    set_o.max_width = cfg_i.ctrl.max_width;
    set_o.resume = state == StConfig && resume;
    set_o.hot_reset = hot_reset;
    set_o.id = cfg_i.local_id.id;
  end

  always_comb begin
    known_kind = 1'b1;
    peer_hot = 1'b0;
    for (int unsigned l = 0; l < NumLanes; l++)
      if (set_valid_i[l] && !(set_i[l].kind inside {SetTs1, SetTs2, SetStart})) known_kind = 1'b0;
    for (int unsigned l = 0; l < NumLanes; l++) if (set_valid_i[l] && set_i[l].hot_reset) peer_hot = 1'b1;
  end
  assign unexpected_set_o = (state == StL0 && set_active) || !known_kind;

  assign enabled_o = enabled;
  assign active_o = active;
  assign active_rx_o = active_rx;
  assign reversed_o = reversed;
  assign align_o = state inside {StPolling, StConfig, StL0, StRecovery};
  assign run_o = state != StDisabled;
  assign data_enable_o = state inside {StConfig, StL0};
  assign state_o = state;

  logic unused;
  assign unused = ^cfg_i;

endmodule
