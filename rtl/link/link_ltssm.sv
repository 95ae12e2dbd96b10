// The training machine. Every state but DISABLED and L0 is left within its time limit, or at DETECT tried again; repeated failures end in
// DISABLED with the cause kept. docs/link.md has the table of transitions.
module link_ltssm
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    // Orders
    input logic   enable_i,
    input logic   prbs_mode_i,
    input logic   retrain_i,        // one cycle
    input logic   hot_reset_i,      // one cycle: reset the other end's link, and ours
    input lanes_t lanes_enabled_i,  // physical

    // Limits, in cycles and tries
    input logic [15:0] detect_timeout_i,
    input logic [15:0] detect_settle_i,
    input logic [15:0] polling_timeout_i,
    input logic [15:0] polling_settle_i,
    input logic [15:0] config_timeout_i,
    input logic [15:0] recovery_timeout_i,
    input logic [15:0] stable_cycles_i,
    input logic [7:0]  detect_limit_i,    // 0: for ever
    input logic [7:0]  retry_limit_i,     // 0: for ever
    input logic [7:0]  recovery_limit_i,  // 0: for ever

    // What is heard
    input lanes_t idle_i,            // physical
    input lanes_t locked_i,          // physical
    input lanes_t active_physical_i,
    input logic   set_valid_i,
    input logic   map_known_i,
    input logic   map_reversed_i,
    input logic   allow_reversal_i,
    input logic   no_common_i,
    input logic   deskew_overflow_i,
    input logic   trained_i,         // data runs both ways
    input logic   crc_limit_i,
    input logic   marker_lost_i,
    input logic   replay_stuck_i,
    input logic   replay_stalls_i,   // such time in L0 forgives nothing
    input logic   conflict_i,        // the ends disagree on their session
    input logic   peer_hot_i,        // one cycle: a set that orders a hot reset
    input logic   peer_hot_last_i,   // the last set did

    output state_e state_o,
    output cause_e cause_o,         // of the last transition
    output cause_e last_failure_o,
    output logic   moved_o,         // one cycle: a transition, with `from_o`
    output state_e from_o,
    output logic   restart_o,       // one cycle: align anew, sets instead of data
    output logic   enter_config_o,  // one cycle
    output logic   enter_l0_o,      // one cycle, before the state shows it
    output logic   hot_reset_o,     // to say in sets
    output logic [3:0] timeout_o    // one cycle each: detect, polling, config, recovery
);

  state_e state_q, state_d, from_q;
  cause_e cause_q, cause_d, failure_q, failure_d, error, config_error;
  logic [15:0] timer_q, settle_q, stable_q;
  logic [7:0] detects_q, retries_q, recoveries_q;
  logic [6:0] hot_q;  // cycles to go on ordering a hot reset
  logic blocked_q, moved_q, again, go, resettable;
  lanes_t expected, heard;
  logic expired, settled, lanes_ready, detect_spent, retry_spent, recovery_spent, aligning;
  logic [15:0] limit;

  assign expected = lanes_enabled_i & ~idle_i;
  assign aligning = state_q == StPolling || state_q == StRecovery;
  assign heard = aligning ? locked_i : expected;
  assign go = enable_i && !prbs_mode_i;
  assign resettable = state_q == StConfig || state_q == StL0 || state_q == StRecovery;
  assign detect_spent = detect_limit_i != '0 && detects_q + 8'd1 >= detect_limit_i;
  assign retry_spent = retry_limit_i != '0 && retries_q + 8'd1 >= retry_limit_i;
  assign recovery_spent = recovery_limit_i != '0 && recoveries_q >= recovery_limit_i;
  always_comb begin
    unique case (state_q)
      StDetect:   limit = detect_timeout_i;
      StPolling:  limit = polling_timeout_i;
      StConfig:   limit = config_timeout_i;
      StRecovery: limit = recovery_timeout_i;
      default:    limit = '1;
    endcase
  end
  assign expired = timer_q >= limit;
  assign error = (idle_i & active_physical_i) != '0 ? CauseSignalLost : marker_lost_i ? CauseAlignmentLost :
      crc_limit_i ? CauseCrcErrors : replay_stuck_i ? CauseReplayLimit : CauseNone;
  assign config_error = no_common_i ? CauseNoCommonLane : deskew_overflow_i ? CauseDeskewOverflow :
      trained_i ? CauseSessionConflict : CauseConfigTimeout;
  assign settled = settle_q >= (aligning ? polling_settle_i : detect_settle_i);
  // In POLLING and RECOVERY the lanes that carry a signal decide; in DETECT all that are enabled.
  assign lanes_ready = heard != '0 && (heard == (aligning ? expected : lanes_enabled_i) || settled || expired);

  always_comb begin
    state_d = state_q;
    cause_d = cause_q;
    again = 1'b0;
    unique case (state_q)
      StDetect: begin
        if (lanes_ready) begin
          state_d = StPolling;
          cause_d = CausePeerFound;
        end else if (expired) begin
          again = 1'b1;
          if (detect_spent) begin
            state_d = StDisabled;
            cause_d = CauseNoReceiver;
          end
        end
      end
      StPolling, StRecovery: begin
        if (hot_q != '0 || (lanes_ready && peer_hot_last_i && !expired)) state_d = state_q;
        else if (lanes_ready) begin
          if (!map_known_i) begin
            state_d = StDisabled;
            cause_d = CauseLaneMap;
          end else if (map_reversed_i && !allow_reversal_i) begin
            state_d = StDisabled;
            cause_d = CauseReversalRefused;
          end else begin
            state_d = StConfig;
            cause_d = heard == lanes_enabled_i ? CauseLanesLocked : CauseLanesPartial;
          end
        end else if (expired) begin
          state_d = StDetect;
          cause_d = state_q == StPolling ? CausePollingTimeout : CauseRecoveryTimeout;
        end
      end
      StConfig: begin
        if (trained_i && !conflict_i) begin
          state_d = StL0;
          cause_d = CauseTrained;
        end else if (no_common_i || deskew_overflow_i || expired || trained_i) begin
          state_d = StDetect;
          cause_d = config_error;
        end
      end
      StL0: begin
        if (retrain_i || set_valid_i || error != CauseNone) begin
          state_d = StRecovery;
          cause_d = retrain_i ? CauseSoftRetrain : set_valid_i ? CausePeerRequest : error;
          if (recovery_spent && is_failure(cause_d)) begin
            state_d = StDisabled;
            cause_d = CauseRecoveryLimit;
          end
        end
      end
      default: begin
        if (go && (!blocked_q || retrain_i) && lanes_enabled_i != '0) begin
          state_d = StDetect;
          cause_d = CauseEnable;
        end
      end
    endcase
    if (resettable) begin
      if (peer_hot_i || hot_q == 7'd1) begin
        state_d = StDetect;
        cause_d = CauseHotReset;
      end else if (hot_reset_i) begin
        state_d = StRecovery;
        cause_d = CauseHotReset;
      end
    end
    if (state_q != StDetect && state_q != StDisabled && state_d == StDetect && cause_d != CauseHotReset && retry_spent) begin
      state_d = StDisabled;
      cause_d = CauseRetryLimit;
    end
    if (!go && state_q != StDisabled) begin
      state_d = StDisabled;
      cause_d = prbs_mode_i && enable_i ? CausePrbsMode : CauseSoftDisable;
    end
  end

  // The failure that counts is the one before a limit was reached.
  always_comb begin
    failure_d = failure_q;
    if (state_q == StDetect && again) failure_d = CauseNoReceiver;
    else if (state_d != state_q && go) begin
      if (cause_d == CauseRetryLimit)
        failure_d = state_q == StPolling ? CausePollingTimeout : state_q == StRecovery ? CauseRecoveryTimeout :
            config_error;
      else if (cause_d == CauseRecoveryLimit)
        failure_d = error;
      else if (is_failure(cause_d)) failure_d = cause_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StDisabled;
      from_q       <= StDisabled;
      cause_q      <= CauseNone;
      failure_q    <= CauseNone;
      timer_q      <= '0;
      settle_q     <= '0;
      stable_q     <= '0;
      detects_q    <= '0;
      retries_q    <= '0;
      recoveries_q <= '0;
      hot_q        <= '0;
      blocked_q    <= 1'b0;
      moved_q      <= 1'b0;
    end else begin
      state_q   <= state_d;
      failure_q <= failure_d;
      moved_q   <= state_d != state_q;
      if (state_d != state_q) begin
        cause_q <= cause_d;
        from_q  <= state_q;
      end
      timer_q  <= state_d != state_q || again ? '0 : timer_q == '1 ? timer_q : timer_q + 16'd1;
      settle_q <= state_d != state_q || again || heard == '0 ? '0 : settle_q == '1 ? settle_q : settle_q + 16'd1;

      stable_q <= state_q != StL0 || replay_stalls_i ? '0 : stable_q == '1 ? stable_q : stable_q + 16'd1;

      if (state_q == StDisabled) detects_q <= '0;
      else if (again && detects_q != '1) detects_q <= detects_q + 8'd1;

      if (state_q == StDisabled || state_q == StL0) retries_q <= '0;
      else if (state_q != StDetect && state_d == StDetect && cause_d != CauseHotReset && retries_q != '1) retries_q <= retries_q + 8'd1;

      if (state_q == StDisabled || (state_q == StL0 && stable_q >= stable_cycles_i)) recoveries_q <= '0;
      else if (state_q == StL0 && state_d == StRecovery && is_failure(cause_d) && recoveries_q != '1)
        recoveries_q <= recoveries_q + 8'd1;

      if (!resettable || state_d == StDetect || state_d == StDisabled) hot_q <= '0;
      else if (hot_reset_i) hot_q <= '1;
      else if (hot_q != '0) hot_q <= hot_q - 7'd1;

      if (!enable_i || retrain_i) blocked_q <= 1'b0;
      else if (state_d == StDisabled && state_q != StDisabled && go) blocked_q <= 1'b1;
    end
  end

  assign state_o = state_q;
  assign cause_o = cause_q;
  assign last_failure_o = failure_q;
  assign moved_o = moved_q;
  assign from_o = from_q;
  assign restart_o = state_d != state_q && (state_d == StRecovery || state_d == StDetect || state_d == StDisabled);
  assign enter_config_o = state_d == StConfig && state_q != StConfig;
  assign enter_l0_o = state_d == StL0 && state_q != StL0;
  assign hot_reset_o = hot_q != '0;
  assign timeout_o = {state_q == StRecovery && expired && !lanes_ready, state_q == StConfig && expired && !trained_i,
                      state_q == StPolling && expired && !lanes_ready, again};

endmodule
