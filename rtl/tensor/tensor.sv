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
    // Instructions from elsewhere; those of the registers go first.
    input  logic                     instr_valid_i,
    input  logic             [127:0] instr_i,
    output logic                     instr_ready_o,
    // The scratchpad's window.
    input  bus_req_t                 bus_req_i,
    output bus_rsp_t                 bus_rsp_o,
    input  logic             [  2:0] throttle_i,     // power, thermal, external; any clock
    output logic                     irq_o,
    output logic             [  3:0] activity_o      // 0 idle, 15 a vector issued
);
  import tensor_regs_pkg::*;

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

  logic [1:0][2:0] throttle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) throttle_q <= '0;
    else throttle_q <= {throttle_q[0], throttle_i};
  end

  // Instructions: one that came by the registers waits here.
  logic waiting_q, issue, refused, instr_valid, instr_ready;
  instr_t instr;
  assign issue = reg2hw.command.issue.pulse && reg2hw.command.issue.value;
  assign refused = issue && waiting_q;
  assign instr_valid = waiting_q || instr_valid_i;
  assign instr = waiting_q ? instr_t'(reg2hw.instruction) : instr_t'(instr_i);
  assign instr_ready_o = instr_ready && !waiting_q;

  // Injection.
  logic [7:0] inject_q;
  event_t happens;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) inject_q <= '0;
    else if (reg2hw.inject_arm.writes.pulse) inject_q <= reg2hw.inject_arm.writes.value;
    else if (happens.full_write && inject_q != '0) inject_q <= inject_q - 8'd1;
  end

  config_t engine_config;
  command_t command;
  always_comb begin
    engine_config.enable      = reg2hw.ctrl.enable;
    engine_config.pace        = '0;
    for (int i = 0; i < 4; i++) engine_config.pace[i] = '{run: reg2hw.limit[i].run, period: reg2hw.limit[i].period};
    engine_config.ramp_idle   = reg2hw.ramp.rest;
    engine_config.ramp_length = reg2hw.ramp.length;
    engine_config.inject      = inject_q == '0 ? '0 : {reg2hw.inject_check.bits, reg2hw.inject_mask};

    command.clear          = reg2hw.command.clear.pulse && reg2hw.command.clear.value;
    command.resume         = reg2hw.command.resume.pulse && reg2hw.command.resume.value;
    command.clear_counters = reg2hw.command.clear_counters.pulse && reg2hw.command.clear_counters.value;
    command.signal         = reg2hw.signal.index.pulse;
    command.signal_sem     = reg2hw.signal.index.value;
  end

  logic [MaxCols-1:0] random_write;
  logic [MaxCols-1:0][31:0] random_states;
  logic [31:0] random_value;
  logic [COLS-1:0][31:0] random_state;
  always_comb begin
    random_write = '0;
    random_value = '0;
    random_states = '0;
    for (int c = 0; c < int'(MaxCols); c++) begin
      random_write[c] = reg2hw.random_load[c].value.pulse;
      if (random_write[c]) random_value = reg2hw.random_load[c].value.value;
    end
    for (int c = 0; c < int'(COLS); c++) random_states[c] = random_state[c];
  end

  logic [NumSemaphores-1:0][7:0] semaphores;
  ended_t [NumUnits-1:0] ended;
  counts_t counts;
  fp_pkg::flags_t flags;
  error_t error;
  state_t state;
  tensor_core #(
      .ROWS(ROWS),
      .COLS(COLS)
  ) u_core (
      .clk_i,
      .rst_ni,
      .config_i(engine_config),
      .command_i(command),
      .instr_valid_i(instr_valid),
      .instr_i(instr),
      .instr_ready_o(instr_ready),
      .bus_req_i,
      .bus_rsp_o,
      .throttle_i(throttle_q[1]),
      .random_write_i(random_write[COLS-1:0]),
      .random_i(random_value),
      .random_o(random_state),
      .semaphore_o(semaphores),
      .ended_o(ended),
      .counts_o(counts),
      .flags_o(flags),
      .error_o(error),
      .event_o(happens),
      .state_o(state)
  );

  logic [NumUnits-1:0][31:0] retired_q;
  logic [31:0] corrected_q, uncorrected_q;
  logic program_ended, program_ended_q, irq_q, issue_q;
  // An instruction that waits here is not handed out yet, unless HALT is before it.
  assign program_ended = state.halted && state.idle;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q       <= 1'b0;
      retired_q       <= '0;
      corrected_q     <= '0;
      uncorrected_q   <= '0;
      program_ended_q <= 1'b0;
      irq_q           <= 1'b0;
      issue_q         <= 1'b0;
    end else begin
      if (issue) waiting_q <= 1'b1;
      else if (instr_ready || command.clear) waiting_q <= 1'b0;
      for (int u = 0; u < int'(NumUnits); u++) if (ended[u].valid) retired_q[u] <= ended[u].tag;
      corrected_q     <= corrected_q + 32'(happens.corrected);
      uncorrected_q   <= uncorrected_q + 32'(happens.uncorrected);
      program_ended_q <= program_ended;
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
    hw2reg.status.idle          = state.idle && !waiting_q;
    hw2reg.status.halted        = state.halted;
    hw2reg.status.ended         = program_ended;
    hw2reg.status.error         = error.valid;
    hw2reg.status.clearing      = state.clearing;
    hw2reg.status.room          = !waiting_q;

    hw2reg.irq_status.ended   = program_ended && !program_ended_q;
    hw2reg.irq_status.error   = happens.error;
    hw2reg.irq_status.refused = refused;

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

    {hw2reg.active_hi.count, hw2reg.active_lo.count}                     = counts.active;
    {hw2reg.idle_hi.count, hw2reg.idle_lo.count}                         = counts.idle;
    {hw2reg.wait_semaphore_hi.count, hw2reg.wait_semaphore_lo.count}     = counts.wait_semaphore;
    {hw2reg.wait_stationary_hi.count, hw2reg.wait_stationary_lo.count}   = counts.wait_stationary;
    {hw2reg.wait_accumulator_hi.count, hw2reg.wait_accumulator_lo.count} = counts.wait_accumulator;
    {hw2reg.throttled_active_hi.count, hw2reg.throttled_active_lo.count} = counts.throttled_active;
    {hw2reg.throttled_idle_hi.count, hw2reg.throttled_idle_lo.count}     = counts.throttled_idle;
    {hw2reg.instructions_hi.count, hw2reg.instructions_lo.count}         = counts.instructions;
    {hw2reg.stored_hi.count, hw2reg.stored_lo.count}                     = counts.stored;
  end

  logic unused;
  assign unused = ^{reg2hw, ended};
endmodule
