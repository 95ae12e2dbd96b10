// Always-on power, clock and reset sequencer. rtl/regs/power.yaml describes states, causes and registers.
module power
  import tern_pkg::*;
  import power_pkg::*;
(
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    clk_core_i,
    input  reg_req_t                reg_req_i,
    output reg_rsp_t                reg_rsp_o,
    input  logic     [NumRails-1:0] rail_pgood_i,  // asynchronous
    input  logic                    pll_lock_i,    // asynchronous
    input  logic                    thermtrip_i,   // active high, synchronous
    output logic                    pll_en_o,
    output logic     [         7:0] pll_mult_o,
    output logic                    core_rst_no,
    output logic     [NumRails-1:0] rail_good_o,
    output logic                    fault_no,      // low in state `fault`
    output logic                    irq_o
);

  power_regs_pkg::power_reg2hw_t reg2hw;
  power_regs_pkg::power_hw2reg_t hw2reg;

  power_regs i_regs (
      .clk_i,
      .rst_ni,
      .reg_req_i,
      .reg_rsp_o,
      .reg2hw_o(reg2hw),
      .hw2reg_i(hw2reg)
  );

  logic clear_fault, clear_counts;
  assign clear_fault  = reg2hw.ctrl.clear_fault.pulse && reg2hw.ctrl.clear_fault.value;
  assign clear_counts = reg2hw.ctrl.clear_counts.pulse && reg2hw.ctrl.clear_counts.value;

  time_t now_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) now_q <= '0;
    else now_q <= now_q + 48'd1;
  end

  // Rails and lock.
  rails_t good, good_before, required, fallen, missing;
  time_t [NumRails-1:0] good_at;
  logic [NumRails-1:0][15:0] drops, glitches;
  power_rails i_rails (
      .clk_i,
      .rst_ni,
      .pgood_i(rail_pgood_i),
      .deglitch_i(reg2hw.rails.deglitch),
      .now_i(now_q),
      .clear_i(clear_counts),
      .good_o(good),
      .good_before_o(good_before),
      .good_at_o(good_at),
      .drops_o(drops),
      .glitches_o(glitches)
  );
  assign required = reg2hw.rails.required;
  assign fallen = good_before & ~good & required;
  assign missing = required & ~good;
  assign rail_good_o = good;

  logic lock_sync, lock_level, lock_glitch_unused;
  power_deglitch i_lock (
      .clk_i,
      .rst_ni,
      .async_i (pll_lock_i),
      .cycles_i(reg2hw.rails.lock_deglitch),
      .sync_o  (lock_sync),
      .level_o (lock_level),
      .glitch_o(lock_glitch_unused)
  );

  // Sequence.
  state_e state;
  causes_t events;
  logic core_release, freq_restart, freq_done, freq_valid, freq_good, reached_run, reached_off, injected;
  logic [19:0] freq_count;
  logic [20:0] freq_error;
  logic [15:0] lock_time;
  logic [7:0] lock_rises;
  power_fsm i_fsm (
      .clk_i,
      .rst_ni,
      .start_i(reg2hw.ctrl.start.pulse && reg2hw.ctrl.start.value),
      .stop_i(reg2hw.ctrl.stop.pulse && reg2hw.ctrl.stop.value),
      .clear_fault_i(clear_fault),
      .auto_i(reg2hw.ctrl.auto_start),
      .rails_ok_i(missing == '0),
      .rail_fell_i(fallen != '0),
      .lock_sync_i(lock_sync),
      .lock_level_i(lock_level),
      .thermtrip_i,
      .freq_done_i(freq_done),
      .freq_good_i(freq_good),
      .injected_i(injected),
      .fault_test_i(reg2hw.ctrl.fault_test),
      .mult_i(reg2hw.pll.mult),
      .lock_samples_i(reg2hw.pll.lock_samples),
      .min_wait_i(reg2hw.pll.min_wait),
      .timeout_rails_i(reg2hw.timeout_rails.value),
      .timeout_lock_i(reg2hw.timeout_lock.value),
      .release_delay_i(reg2hw.delays.reset_release),
      .stop_delay_i(reg2hw.delays.stop),
      .freq_monitor_i(reg2hw.freq.monitor),
      .state_o(state),
      .pll_en_o,
      .pll_mult_o,
      .core_release_o(core_release),
      .freq_restart_o(freq_restart),
      .events_o(events),
      .reached_run_o(reached_run),
      .reached_off_o(reached_off),
      .lock_time_o(lock_time),
      .lock_rises_o(lock_rises)
  );
  power_freq_meter i_freq (
      .clk_i,
      .rst_ni,
      .clk_core_i,
      .enable_i(pll_en_o),
      .restart_i(freq_restart),
      .window_i(reg2hw.freq.window),
      .mult_i(pll_mult_o),
      .tolerance_i(reg2hw.freq.tolerance),
      .done_o(freq_done),
      .valid_o(freq_valid),
      .good_o(freq_good),
      .count_o(freq_count),
      .error_o(freq_error)
  );
  logic core_running;
  power_core_reset i_core_reset (
      .clk_i,
      .rst_ni,
      .clk_core_i,
      .release_i(core_release),
      .core_rst_no,
      .running_o(core_running)
  );

  // Faults.
  logic fault, snapshot_valid;
  snapshot_t snapshot;
  logic [NumCauses-1:0][15:0] counts;
  logic [15:0] secondary;
  power_fault i_fault (
      .clk_i,
      .rst_ni,
      .events_i(events),
      .brownout_rail_i(lowest_rail(state == StateFault ? fallen : missing)),
      .missing_rail_i(lowest_rail(missing)),
      .inject_i(reg2hw.fault_inject.cause.pulse),
      .inject_cause_i(reg2hw.fault_inject.cause.value),
      .inject_rail_i(reg2hw.fault_inject.rail.value),
      .state_i(state),
      .rails_before_i(good_before),
      .rails_i(good),
      .now_i(now_q),
      .clear_fault_i(clear_fault),
      .clear_counts_i(clear_counts),
      .fault_o(fault),
      .injected_o(injected),
      .valid_o(snapshot_valid),
      .snapshot_o(snapshot),
      .counts_o(counts),
      .secondary_o(secondary)
  );
  assign fault_no = state != StateFault;

  always_comb begin
    hw2reg = '0;
    hw2reg.status.state = state;
    hw2reg.status.pll_lock = lock_level;
    hw2reg.status.pll_enable = pll_en_o;
    hw2reg.status.core_running = core_running;
    hw2reg.status.thermtrip = thermtrip_i;
    hw2reg.status.rail_good = good;
    hw2reg.status.rail_missing = missing;
    hw2reg.fault.cause = snapshot.cause;
    hw2reg.fault.rail = snapshot.rail;
    hw2reg.fault.state = snapshot.state;
    hw2reg.fault.rails_before = snapshot.rails_before;
    hw2reg.fault.rails_after = snapshot.rails_after;
    hw2reg.fault.injected = snapshot.injected;
    hw2reg.fault.valid = snapshot_valid;
    hw2reg.fault_time_lo.value = snapshot.at[31:0];
    hw2reg.fault_time_hi.value = snapshot.at[47:32];
    hw2reg.secondary_count.value = secondary;
    hw2reg.brownout_count.value = counts[0];
    hw2reg.thermtrip_count.value = counts[1];
    hw2reg.lock_lost_count.value = counts[2];
    hw2reg.freq_error_count.value = counts[3];
    hw2reg.rail_timeout_count.value = counts[4];
    hw2reg.lock_timeout_count.value = counts[5];
    hw2reg.lock_history.cycles = lock_time;
    hw2reg.lock_history.rises = lock_rises;
    hw2reg.lock_history.lost = events[LockLost];
    hw2reg.freq_measured.count = freq_count;
    hw2reg.freq_measured.valid = freq_valid;
    hw2reg.freq_error.value = freq_error;
    hw2reg.time_lo.value = now_q[31:0];
    hw2reg.time_hi.value = now_q[47:32];
    hw2reg.irq_status.fault = fault;
    hw2reg.irq_status.running = reached_run;
    hw2reg.irq_status.stopped = reached_off;
    hw2reg.irq_status.rail_change = good != good_before;
    for (int r = 0; r < int'(NumRails); r++) begin
      hw2reg.rail_good_lo[r].value = good_at[r][31:0];
      hw2reg.rail_good_hi[r].value = good_at[r][47:32];
      hw2reg.rail_events[r].drops = drops[r];
      hw2reg.rail_events[r].glitches = glitches[r];
    end
  end

  assign irq_o = |(reg2hw.irq_status & reg2hw.irq_enable);

  logic unused;
  assign unused = ^{lock_glitch_unused, reg2hw};

endmodule
