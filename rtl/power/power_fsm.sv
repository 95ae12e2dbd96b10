// The sequence: off, wait for rails, start the PLL, wait for lock, measure the clock, release the core reset, run. A stop takes the
// core reset before the PLL. Every fault but one outside of the sequence leads to `fault`, where the reset is asserted and the PLL is off.
module power_fsm
  import power_pkg::*;
(
    input  logic          clk_i,
    input  logic          rst_ni,
    // Commands.
    input  logic          start_i,
    input  logic          stop_i,
    input  logic          clear_fault_i,
    input  logic          auto_i,
    // Observations.
    input  logic          rails_ok_i,       // all required rails are good
    input  logic          rail_fell_i,      // pulse: a required rail fell
    input  logic          lock_sync_i,      // lock, not deglitched
    input  logic          lock_level_i,     // lock, deglitched
    input  logic          thermtrip_i,
    input  logic          freq_done_i,
    input  logic          freq_good_i,
    input  logic          injected_i,       // an injected fault is being captured
    input  logic          fault_test_i,
    // Configuration.
    input  logic   [ 7:0] mult_i,
    input  logic   [ 7:0] lock_samples_i,
    input  logic   [15:0] min_wait_i,
    input  logic   [31:0] timeout_rails_i,
    input  logic   [31:0] timeout_lock_i,
    input  logic   [15:0] release_delay_i,
    input  logic   [15:0] stop_delay_i,
    input  logic          freq_monitor_i,
    // Actions.
    output state_e        state_o,
    output logic          pll_en_o,
    output logic   [ 7:0] pll_mult_o,
    output logic          core_release_o,
    output logic          freq_restart_o,
    output causes_t       events_o,
    output logic          reached_run_o,
    output logic          reached_off_o,
    output logic   [15:0] lock_time_o,
    output logic   [ 7:0] lock_rises_o
);

  state_e state_d, state_q;
  logic [31:0] timer_d, timer_q;  // cycles in this state; stays at its maximum
  logic [7:0] samples_d, samples_q, samples_needed;
  logic [7:0] mult_q, rises_q;
  logic [15:0] lock_time_q;
  logic pll_en_d, pll_en_q, release_d, release_q;
  logic lock_before_q, thermtrip_before_q;
  logic locked, sequencing, past_rails, lock_lost, thermtrip_begins;
  causes_t events;

  assign samples_needed = lock_samples_i == '0 ? 8'd1 : lock_samples_i;
  assign samples_d = !lock_sync_i || state_q != StatePllLock || timer_q < 32'(min_wait_i) ? '0 :
                     samples_q == '1 ? samples_q : samples_q + 8'd1;
  assign locked = samples_d >= samples_needed && lock_level_i;

  assign past_rails = state_q inside {StatePllStart, StatePllLock, StateFreqCheck, StateResetRelease, StateRun};
  assign sequencing = past_rails || state_q == StateWaitRails;
  assign lock_lost = !lock_level_i && state_q inside {StateFreqCheck, StateResetRelease, StateRun};
  assign thermtrip_begins = thermtrip_i && !thermtrip_before_q;

  always_comb begin
    events = '0;
    events[Brownout] = (past_rails && !rails_ok_i) || (state_q == StateFault && rail_fell_i);
    // In `off` a trip is nobody's fault yet; it stops the sequence as soon as that begins.
    events[Thermtrip] = (thermtrip_i && sequencing) || (thermtrip_begins && (state_q inside {StateFault, StateStop}));
    events[LockLost] = lock_lost;
    events[Freq] = freq_done_i && !freq_good_i &&
                             (state_q == StateFreqCheck || (state_q == StateRun && freq_monitor_i));
    events[RailTimeout] = state_q == StateWaitRails && !rails_ok_i && timeout_rails_i != '0 && timer_q >= timeout_rails_i;
    events[LockTimeout] = state_q == StatePllLock && !locked && timeout_lock_i != '0 && timer_q >= timeout_lock_i;
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StateOff: if (start_i || auto_i) state_d = StateWaitRails;
      StateWaitRails: if (rails_ok_i) state_d = StatePllStart;
      StatePllStart: state_d = StatePllLock;
      StatePllLock: if (locked) state_d = StateFreqCheck;
      StateFreqCheck: if (freq_done_i) state_d = StateResetRelease;
      StateResetRelease: if (timer_q >= 32'(release_delay_i)) state_d = StateRun;
      StateRun: ;
      StateStop: if (timer_q >= 32'(stop_delay_i)) state_d = StateOff;
      StateFault: if (clear_fault_i) state_d = StateOff;
      default: state_d = StateFault;
    endcase
    if (stop_i && sequencing) state_d = StateStop;
    if (sequencing && (events != '0 || (injected_i && !(fault_test_i && state_q == StateRun)))) state_d = StateFault;

    pll_en_d  = state_d inside {StatePllStart, StatePllLock, StateFreqCheck, StateResetRelease, StateRun} || (state_d == StateStop && pll_en_q);
    release_d = state_d == StateRun;
    timer_d   = state_d != state_q ? '0 : timer_q == '1 ? timer_q : timer_q + 32'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StateOff;
      timer_q <= '0;
      samples_q <= '0;
      mult_q <= '0;
      pll_en_q <= 1'b0;
      release_q <= 1'b0;
      lock_before_q <= 1'b0;
      thermtrip_before_q <= 1'b0;
      rises_q <= '0;
      lock_time_q <= '0;
    end else begin
      state_q <= state_d;
      timer_q <= timer_d;
      samples_q <= samples_d;
      pll_en_q <= pll_en_d;
      release_q <= release_d;
      lock_before_q <= lock_sync_i;
      thermtrip_before_q <= thermtrip_i;
      if (state_q == StateWaitRails) mult_q <= mult_i;
      if (state_q == StatePllStart) rises_q <= '0;
      else if (pll_en_q && lock_sync_i && !lock_before_q && rises_q != '1) rises_q <= rises_q + 8'd1;
      if (state_q == StatePllLock && locked) lock_time_q <= timer_q > 32'h0000_ffff ? '1 : timer_q[15:0];
    end
  end

  assign state_o = state_q;
  assign pll_en_o = pll_en_q;
  assign pll_mult_o = mult_q;
  assign core_release_o = release_q;
  assign freq_restart_o = state_q == StatePllLock && state_d == StateFreqCheck;
  assign events_o = events;
  assign reached_run_o = state_d == StateRun && state_q != StateRun;
  assign reached_off_o = state_d == StateOff && state_q == StateStop;
  assign lock_time_o = lock_time_q;
  assign lock_rises_o = rises_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) core_release_o |-> pll_en_o && state_o == StateRun)
  else $error("core reset is released outside of run");
  assert property (@(posedge clk_i) disable iff (!rst_ni) state_o == StateFault |-> !pll_en_o && !core_release_o)
  else $error("PLL or core run in a fault");
  assert property (@(posedge clk_i) disable iff (!rst_ni) state_o == StateRun && $past(state_o) != StateRun |-> $past(rails_ok_i))
  else $error("run was reached with a bad rail");
`endif

endmodule
