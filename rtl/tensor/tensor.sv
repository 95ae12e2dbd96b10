// The tensor engine with its registers (tensor.yaml), interrupt and instruction port. docs/tensor.md has the programmer's model.
module tensor
  import tensor_pkg::*;
#(
    parameter int unsigned ROWS = 8,
    parameter int unsigned COLS = 8
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  tern_pkg::reg_req_t       reg_req_i,
    output tern_pkg::reg_rsp_t       reg_rsp_o,
    // Programs are fetched here.
    output tern_pkg::axi_req_t       fetch_req_o,
    input  tern_pkg::axi_rsp_t       fetch_rsp_i,
    // Instructions from elsewhere; those of the registers go first, those that were fetched last.
    input  logic                     instr_valid_i,
    input  logic             [127:0] instr_i,
    output logic                     instr_ready_o,
    // The scratchpad: partition p is the 16 KiB at p x 16 KiB, upper address bits are not looked at.
    input  tern_pkg::axi_req_t       axi_req_i,
    output tern_pkg::axi_rsp_t       axi_rsp_o,
    // Semaphores, for the DMA engines.
    input  tern_pkg::sem_req_t [NumOthers-1:0] sem_req_i,
    output tern_pkg::sem_rsp_t [NumOthers-1:0] sem_rsp_o,
    input  logic             [  2:0] throttle_i,     // power, thermal, external; any clock
    output logic                     irq_o,
    output logic             [  3:0] activity_o,     // 0 idle, 15 a vector issued
    output logic                     clock_on_o      // the engine's own clock ran in the last cycle
);
  import tensor_regs_pkg::*;
  import tern_pkg::sem_req_t;

  if (!(ROWS inside {4, 8, 16} && COLS inside {4, 8, 16})) begin : gen_shape
    $error("ROWS and COLS are 4, 8 or 16 each");
  end

  tensor_reg2hw_t reg2hw;
  tensor_hw2reg_t hw2reg;
  tensor_regs u_regs (
      .clk_i,
      .rst_ni,
      .reg_req_i,
      .reg_rsp_o,
      .reg2hw_o(reg2hw),
      .hw2reg_i(hw2reg)
  );

  // What the registers ask for, taken over by the engine's own clock.
  config_t config_d, config_q;
  command_t command, command_q;
  logic [7:0] inject_q;
  event_t happens;
  state_t state;
  logic waiting_q, fetching, draining;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inject_q <= '0;
    else if (reg2hw.inject_arm.writes.pulse) inject_q <= reg2hw.inject_arm.writes.value;
    else if (happens.full_write && inject_q != '0) inject_q <= inject_q - 8'd1;
  end

  logic clear, issue, fetch, test, room, may_fetch, may_test, hold, axi_busy, test_busy;
  assign clear = reg2hw.command.clear.pulse && reg2hw.command.clear.value;
  assign issue = reg2hw.command.issue.pulse && reg2hw.command.issue.value;
  assign fetch = reg2hw.command.fetch.pulse && reg2hw.command.fetch.value;
  assign room = !waiting_q && !command_q.issue;
  assign may_fetch = !fetching && !draining && !command_q.fetch && !state.clearing && !command_q.clear && !clear;
  // A test has the memories to itself: it begins when nothing is under way or could begin by itself, and holds up what comes meanwhile.
  assign test = reg2hw.mbist.start.pulse && reg2hw.mbist.start.value;
  assign may_test = state.idle && room && may_fetch && !axi_busy && !command_q.test && !test_busy;
  assign hold = command.test || command_q.test || test_busy;

  always_comb begin
    config_d.enable      = reg2hw.ctrl.enable;
    config_d.pace        = '0;
    for (int i = 0; i < 4; i++) config_d.pace[i] = '{run: reg2hw.limit[i].run, period: reg2hw.limit[i].period};
    config_d.ramp_idle   = reg2hw.ramp.rest;
    config_d.ramp_length = reg2hw.ramp.length;
    config_d.inject      = {reg2hw.inject_check.bits, reg2hw.inject_mask};

    command            = '0;
    command.clear      = clear;
    command.resume     = reg2hw.command.resume.pulse && reg2hw.command.resume.value;
    command.issue      = issue && room;
    command.fetch      = fetch && may_fetch;
    command.test       = test && may_test;
    command.test_stop  = reg2hw.mbist.stop.pulse && reg2hw.mbist.stop.value;
    command.signal     = reg2hw.signal.index.pulse;
    command.signal_sem = reg2hw.signal.index.value;
    for (int c = 0; c < int'(MaxCols); c++) begin
      command.random_write[c] = reg2hw.random_load[c].value.pulse;
      if (command.random_write[c]) command.random = reg2hw.random_load[c].value.value;
    end
  end

  localparam int unsigned Partitions = ROWS > COLS ? ROWS : COLS;
  /* verilator coverage_off */  // clock_gate.sv says why
  logic clk;
  /* verilator coverage_on */
  logic asked, other_asks, scrub;
  logic [Partitions-1:0] scrub_done, scrub_corrected, scrub_uncorrected;
  spad_addr_t scrub_addr;
  logic [31:0] scrubbed, unscrubbed, scrub_passes;
  logic [2:0] throttle_meta_q, throttle_q;
  sem_req_t [NumOthers-1:0] sem_q;
  assign asked = command.clear || command.resume || command.issue || command.fetch || command.test || command.test_stop || command.signal || command.random_write != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) throttle_meta_q <= '0;
    else throttle_meta_q <= throttle_i;
  end

  // The engine's clock stands still when there is nothing to do. What counts time within the engine has come to its end long before.
  always_comb begin
    other_asks = 1'b0;
    for (int o = 0; o < int'(NumOthers); o++) if (sem_req_i[o].attempt || sem_req_i[o].give) other_asks = 1'b1;
  end
  // The longest that counts time there, the limiter, counts to 255.
  rest_clock #(
      .RestLog2(10)
  ) u_clock (
      .clk_i,
      .rst_ni,
      .wake_i(asked || other_asks || instr_valid_i || axi_req_i.aw_valid || axi_req_i.w_valid || axi_req_i.ar_valid ||
              config_q != config_d || throttle_meta_q != throttle_q || !state.idle || state.clearing || waiting_q ||
              fetching || draining || axi_busy || test_busy),
      .hold_i(scrub || scrub_done != '0),
      .clk_o(clk),
      .on_o(clock_on_o)
  );

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      config_q      <= '0;
      command_q     <= '0;
      sem_q         <= '0;
      throttle_q    <= '0;
    end else begin
      config_q      <= config_d;
      command_q     <= command;
      sem_q         <= sem_req_i;
      throttle_q    <= throttle_meta_q;
    end
  end

  tensor_scrub #(
      .PARTITIONS(Partitions)
  ) u_scrub (
      .clk_i,
      .rst_ni,
      .interval_i(reg2hw.scrub.interval),
      .scrub_o(scrub),
      .addr_o(scrub_addr),
      .done_i(scrub_done),
      .corrected_i(scrub_corrected),
      .uncorrected_i(scrub_uncorrected),
      .corrected_o(scrubbed),
      .uncorrected_o(unscrubbed),
      .passes_o(scrub_passes)
  );

  // The scratchpad on the bus.
  bus_write_t write;
  bus_written_t written;
  bus_read_t read;
  bus_data_t read_data;
  logic aw_ready, w_ready, b_valid, ar_ready, r_valid, read_busy, write_busy;
  tern_pkg::axi_b_t b;
  tern_pkg::axi_r_t r;
  tensor_axi_write u_axi_write (
      .clk_i(clk),
      .rst_ni,
      .aw_valid_i(axi_req_i.aw_valid),
      .aw_i(axi_req_i.aw),
      .aw_ready_o(aw_ready),
      .w_valid_i(axi_req_i.w_valid),
      .w_i(axi_req_i.w),
      .w_ready_o(w_ready),
      .b_valid_o(b_valid),
      .b_o(b),
      .b_ready_i(axi_req_i.b_ready),
      .write_o(write),
      .written_i(written),
      .busy_o(write_busy)
  );
  tensor_axi_read u_axi_read (
      .clk_i(clk),
      .rst_ni,
      .ar_valid_i(axi_req_i.ar_valid),
      .ar_i(axi_req_i.ar),
      .ar_ready_o(ar_ready),
      .r_valid_o(r_valid),
      .r_o(r),
      .r_ready_i(axi_req_i.r_ready),
      .read_o(read),
      .data_i(read_data),
      .busy_o(read_busy)
  );
  assign axi_busy = read_busy || write_busy;
  assign axi_rsp_o = '{
          aw_ready: aw_ready,
          w_ready: w_ready,
          b_valid: b_valid,
          b: b,
          ar_ready: ar_ready,
          r_valid: r_valid,
          r: r
      };

  // Memory test.
  test_t test_access;
  spad_spares_t spad_spares;
  acc_spares_t [Banks-1:0] acc_spares;
  secded_pkg::code_t [Partitions-1:0] test_data;
  tensor_hw2reg_mbist_t test_state;
  tensor_hw2reg_mbist_fails_t test_fails;
  tensor_hw2reg_mbist_first_t test_first;
  tensor_hw2reg_mbist_first_bits_t [1:0] test_first_bits;
  tensor_hw2reg_mbist_first_check_t test_first_check;
  tensor_hw2reg_repair_t [SpadSpares-1:0] spad_repair;
  tensor_hw2reg_acc_repair_t [Banks*AccSpares-1:0] acc_repair;
  logic test_ended, exhausted;
  tensor_test #(
      .PARTITIONS(Partitions),
      .COLS(COLS)
  ) u_test (
      .clk_i(clk),
      .rst_ni,
      .start_i(command_q.test),
      .stop_i(command_q.test_stop),
      .mbist_i(reg2hw.mbist),
      .repair_i(reg2hw.repair),
      .acc_repair_i(reg2hw.acc_repair),
      .busy_o(test_busy),
      .ended_o(test_ended),
      .mbist_o(test_state),
      .fails_o(test_fails),
      .first_o(test_first),
      .first_bits_o(test_first_bits),
      .first_check_o(test_first_check),
      .repair_o(spad_repair),
      .acc_repair_o(acc_repair),
      .exhausted_o(exhausted),
      .spad_spares_o(spad_spares),
      .acc_spares_o(acc_spares),
      .test_o(test_access),
      .data_i(test_data)
  );

  // Instructions: one that came by the registers waits here.
  handed_t handed, fetched;
  logic handed_ready;
  tensor_fetch u_fetch (
      .clk_i(clk),
      .rst_ni,
      .start_i(command_q.fetch),
      .base_i({reg2hw.fetch_base_hi.addr, reg2hw.fetch_base_lo.addr, 6'd0}),
      .count_i(reg2hw.fetch_count.count),
      .abort_i(command_q.clear),
      .axi_req_o(fetch_req_o),
      .axi_rsp_i(fetch_rsp_i),
      .handed_o(fetched),
      .ready_i(handed_ready && !waiting_q && !instr_valid_i),
      .fetching_o(fetching),
      .draining_o(draining)
  );
  assign handed = '{
          valid: waiting_q || instr_valid_i || fetched.valid,
          bad: !waiting_q && !instr_valid_i && fetched.bad,
          instr: waiting_q ? instr_t'(reg2hw.instruction) : instr_valid_i ? instr_t'(instr_i) : fetched.instr,
          where: fetched.where
      };
  assign instr_ready_o = handed_ready && !waiting_q;
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) waiting_q <= 1'b0;
    else if (command_q.issue) waiting_q <= 1'b1;
    else if (handed_ready || command_q.clear) waiting_q <= 1'b0;
  end

  logic [NumSemaphores-1:0][7:0] semaphores;
  logic [NumOthers-1:0] other_taken;
  logic [COLS-1:0][31:0] random_state;
  logic [MaxCols-1:0][31:0] random_states;
  ended_t [NumUnits-1:0] ended;
  cycle_e cycle;
  logic [4:0] stored;
  counts_t counts;
  logic running_q;  // a program is under way
  fp_pkg::flags_t flags;
  error_t error;
  tensor_core #(
      .ROWS(ROWS),
      .COLS(COLS)
  ) u_core (
      .clk_i(clk),
      .rst_ni,
      .config_i(config_q),
      .inject_i(inject_q != '0),
      .command_i(command_q),
      .handed_i(handed),
      .handed_ready_o(handed_ready),
      .draining_i(draining),
      .write_i(write),
      .written_o(written),
      .read_i(read),
      .data_o(read_data),
      .scrub_i(scrub),
      .scrub_addr_i(scrub_addr),
      .scrub_done_o(scrub_done),
      .scrub_corrected_o(scrub_corrected),
      .scrub_uncorrected_o(scrub_uncorrected),
      .hold_i(hold),
      .test_i(test_access),
      .test_data_o(test_data),
      .unset_i(command_q.test && reg2hw.mbist.accumulators),
      .spad_spares_i(spad_spares),
      .acc_spares_i(acc_spares),
      .other_i(sem_q),
      .other_taken_o(other_taken),
      .throttle_i(throttle_q),
      .random_o(random_state),
      .semaphore_o(semaphores),
      .ended_o(ended),
      .cycle_o(cycle),
      .stored_o(stored),
      .flags_o(flags),
      .error_o(error),
      .event_o(happens),
      .state_o(state)
  );
  assign sem_rsp_o = other_taken;
  always_comb begin
    random_states = '0;
    for (int c = 0; c < int'(COLS); c++) random_states[c] = random_state[c];
  end

  tensor_counters u_counters (
      .clk_i,
      .rst_ni,
      .clear_i(reg2hw.command.clear_counters.pulse && reg2hw.command.clear_counters.value),
      .cycle_i(cycle),
      .limited_i(state.limited != '0),
      .ended_i({ended[2].valid, ended[1].valid, ended[0].valid}),
      .stored_i(stored),
      .running_i(running_q),
      .counts_o(counts)
  );

  logic [NumUnits-1:0][31:0] retired_q;
  logic [31:0] corrected_q, uncorrected_q;
  logic program_ended, program_ended_q, irq_q, issue_q;
  // An instruction that waits here is not handed out yet, unless HALT is before it.
  assign program_ended = state.halted && state.idle;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      retired_q       <= '0;
      corrected_q     <= '0;
      uncorrected_q   <= '0;
      program_ended_q <= 1'b0;
      running_q       <= 1'b0;
      irq_q           <= 1'b0;
      issue_q         <= 1'b0;
    end else begin
      for (int u = 0; u < int'(NumUnits); u++) if (ended[u].valid) retired_q[u] <= ended[u].tag;
      corrected_q     <= corrected_q + 32'(happens.corrected);
      uncorrected_q   <= uncorrected_q + 32'(happens.uncorrected);
      program_ended_q <= program_ended;
      if (command.fetch || command.issue) running_q <= 1'b1;
      else if ((program_ended && !program_ended_q) || error.valid || command_q.clear) running_q <= 1'b0;
      irq_q           <= |(reg2hw.irq_status & reg2hw.irq_mask);
      issue_q         <= happens.issue;
    end
  end
  assign irq_o = irq_q;
  assign activity_o = {4{issue_q}};

  always_comb begin
    hw2reg.status.load_busy     = state.busy[UnitLoad];
    hw2reg.status.multiply_busy = state.busy[UnitMultiply];
    hw2reg.status.store_busy    = state.busy[UnitStore];
    hw2reg.status.idle          = state.idle && !waiting_q && !command.issue && !command_q.issue && !hold;
    hw2reg.status.halted        = state.halted;
    hw2reg.status.ended         = program_ended;
    hw2reg.status.error         = error.valid;
    hw2reg.status.clearing      = state.clearing || command.clear || command_q.clear;
    hw2reg.status.room          = room && !command.issue;
    hw2reg.status.fetching      = fetching || draining || command.fetch || command_q.fetch;

    hw2reg.irq_status.ended   = program_ended && !program_ended_q;
    hw2reg.irq_status.error   = happens.error;
    hw2reg.irq_status.refused = (issue && !room) || (fetch && !may_fetch) || (test && !may_test);
    hw2reg.irq_status.mbist_done = test_ended;

    hw2reg.error.code        = error_code_e'(error.code);
    hw2reg.error_tag.tag     = error.tag;
    hw2reg.error_detail.low  = error.detail[15:0];
    hw2reg.error_detail.high = error.detail[31:16];

    hw2reg.flags.invalid   = flags.invalid;
    hw2reg.flags.overflow  = flags.overflow;
    hw2reg.flags.underflow = flags.underflow;
    hw2reg.flags.inexact   = flags.inexact;
    hw2reg.flags.nan_in    = flags.nan_in;

    hw2reg.shape.rows = 8'(ROWS);
    hw2reg.shape.cols = 8'(COLS);

    hw2reg.limited.didt     = state.limited[0];
    hw2reg.limited.power    = state.limited[1];
    hw2reg.limited.thermal  = state.limited[2];
    hw2reg.limited.external = state.limited[3];

    hw2reg.retired      = retired_q;
    hw2reg.semaphores   = semaphores;
    hw2reg.random_state = random_states;

    hw2reg.ecc_corrected.count   = corrected_q;
    hw2reg.ecc_uncorrected.count = uncorrected_q;
    hw2reg.scrub_corrected.count   = scrubbed;
    hw2reg.scrub_uncorrected.count = unscrubbed;
    hw2reg.scrub_passes.count      = scrub_passes;

    hw2reg.mbist_fails             = test_fails;
    hw2reg.mbist_first             = test_first;
    hw2reg.mbist_first_bits        = test_first_bits;
    hw2reg.mbist_first_check       = test_first_check;
    hw2reg.repair                  = spad_repair;
    hw2reg.acc_repair              = acc_repair;
    hw2reg.repair_status.exhausted = exhausted;
    // Until the engine's clock has taken the start over, the test before would still show.
    hw2reg.mbist = command.test || command_q.test ? '{busy: 1'b1, done: 1'b0, fail: 1'b0} : test_state;

    {hw2reg.active_hi.count, hw2reg.active_lo.count}                     = counts.active;
    {hw2reg.idle_hi.count, hw2reg.idle_lo.count}                         = counts.idle;
    {hw2reg.wait_semaphore_hi.count, hw2reg.wait_semaphore_lo.count}     = counts.wait_semaphore;
    {hw2reg.wait_stationary_hi.count, hw2reg.wait_stationary_lo.count}   = counts.wait_stationary;
    {hw2reg.wait_accumulator_hi.count, hw2reg.wait_accumulator_lo.count} = counts.wait_accumulator;
    {hw2reg.throttled_active_hi.count, hw2reg.throttled_active_lo.count} = counts.throttled_active;
    {hw2reg.throttled_idle_hi.count, hw2reg.throttled_idle_lo.count}     = counts.throttled_idle;
    {hw2reg.instructions_hi.count, hw2reg.instructions_lo.count}         = counts.instructions;
    {hw2reg.stored_hi.count, hw2reg.stored_lo.count}                     = counts.stored;
    {hw2reg.elapsed_hi.count, hw2reg.elapsed_lo.count}                   = counts.elapsed;
  end

  logic unused;
  assign unused = ^{reg2hw, ended};
endmodule
