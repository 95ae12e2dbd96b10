// Descriptor-ring DMA engine: registers, interrupt and counters around the engine. docs/dma.md has the programmer's model.
module dma (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  tern_pkg::reg_req_t reg_req_i,
    output tern_pkg::reg_rsp_t reg_rsp_o,
    output tern_pkg::axi_req_t axi_req_o,
    input  tern_pkg::axi_rsp_t axi_rsp_i,
    input  logic               throttle_i,   // any clock
    output logic               irq_o,
    output logic [3:0]         activity_o    // 0 idle, 7 writes, 8 reads, 15 both
);
  import tern_pkg::*;
  import dma_pkg::*;
  import dma_regs_pkg::*;

  dma_reg2hw_t reg2hw;
  dma_hw2reg_t hw2reg;
  dma_regs u_regs (.clk_i, .rst_ni, .reg_req_i, .reg_rsp_o, .reg2hw_o(reg2hw), .hw2reg_i(hw2reg));

  logic [1:0] throttle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) throttle_q <= '0;
    else throttle_q <= {throttle_q[0], throttle_i};
  end

  config_t engine_config;
  command_t command;
  state_t state;
  event_t happens;
  result_t result;
  always_comb begin
    engine_config.enable          = reg2hw.ctrl.enable;
    engine_config.halt_on_error   = reg2hw.ctrl.halt_on_error;
    engine_config.long_bursts     = reg2hw.ctrl.long_bursts;
    engine_config.ring_base       = {reg2hw.ring_base_hi.addr, reg2hw.ring_base_lo.addr, 6'b0};
    engine_config.ring_log2       = reg2hw.ring_size.log2;
    engine_config.comp_base       = {reg2hw.comp_base_hi.addr, reg2hw.comp_base_lo.addr, 6'b0};
    engine_config.comp_log2       = reg2hw.comp_size.log2;
    engine_config.consumer        = reg2hw.comp_consumer.index;
    engine_config.throttled       = throttle_q[1];
    engine_config.throttle_run    = reg2hw.throttle.run;
    engine_config.throttle_period = reg2hw.throttle.period;

    command.abort_all     = reg2hw.command.abort_all.pulse && reg2hw.command.abort_all.value;
    command.resume        = reg2hw.command.resume.pulse && reg2hw.command.resume.value;
    command.reset_rings   = reg2hw.command.reset_rings.pulse && reg2hw.command.reset_rings.value;
    command.doorbell      = reg2hw.doorbell.tail.pulse;
    command.doorbell_tail = reg2hw.doorbell.tail.value;
  end
  dma_engine u_engine (
      .clk_i, .rst_ni, .config_i(engine_config), .command_i(command), .state_o(state), .event_o(happens),
      .result_o(result), .axi_req_o, .axi_rsp_i);

  logic completion, watchdog;
  dma_notice u_notice (
      .clk_i, .rst_ni, .coalesce_i(reg2hw.ctrl.irq_coalesce), .done_irq_i(happens.comp_done_irq),
      .idle_i(!state.busy), .completion_o(completion), .limit_i(reg2hw.watchdog.cycles),
      .outstanding_i(state.outstanding), .moves_i(happens.moves), .watchdog_o(watchdog));

  logic [31:0] descriptors, ring_overruns, doorbell_overruns, comp_lost;
  logic [31:0] cycles_busy, cycles_read_stall, cycles_write_stall, cycles_throttled;
  logic [NumStatus-1:0][31:0] errors;
  logic [47:0] bytes_read, bytes_written;
  logic error_valid;
  index_t error_index;
  status_e error_cause;
  addr_t error_addr;
  dma_counters u_counters (
      .clk_i, .rst_ni,
      .clear_i(reg2hw.command.clear_counters.pulse && reg2hw.command.clear_counters.value),
      .clear_error_i(reg2hw.command.clear_error.pulse && reg2hw.command.clear_error.value),
      .end_i(happens.ended), .result_i(result), .read_beat_i(happens.read_beat), .strobes_i(happens.strobes),
      .full_event_i(happens.comp_full), .overrun_i(happens.overrun), .lost_i(happens.comp_lost),
      .busy_i(state.in_flight != '0), .read_stall_i(happens.read_stall), .write_stall_i(happens.write_stall),
      .throttled_i(happens.throttled), .descriptors_o(descriptors), .errors_o(errors), .bytes_read_o(bytes_read),
      .bytes_written_o(bytes_written), .ring_overruns_o(ring_overruns), .doorbell_overruns_o(doorbell_overruns),
      .lost_o(comp_lost), .cycles_busy_o(cycles_busy), .cycles_read_stall_o(cycles_read_stall),
      .cycles_write_stall_o(cycles_write_stall), .cycles_throttled_o(cycles_throttled), .error_valid_o(error_valid),
      .error_index_o(error_index), .error_cause_o(error_cause), .error_addr_o(error_addr));

  always_comb begin
    hw2reg.status.busy       = state.busy;
    hw2reg.status.halted     = state.halted;
    hw2reg.status.draining   = state.draining;
    hw2reg.status.comp_full  = state.comp_full;
    hw2reg.status.throttled  = throttle_q[1];
    hw2reg.status.bad_config = state.bad_config;
    hw2reg.status.in_flight  = state.in_flight;

    hw2reg.irq_status.completion = completion;
    hw2reg.irq_status.error      = happens.ended && result.status != StatusOk;
    hw2reg.irq_status.doorbell   = happens.overrun;
    hw2reg.irq_status.comp_full  = happens.comp_full;
    hw2reg.irq_status.halted     = happens.halted;
    hw2reg.irq_status.watchdog   = watchdog;
    hw2reg.irq_status.refused    = happens.refused;
    hw2reg.irq_status.comp_lost  = happens.comp_lost;

    hw2reg.tail.index                = state.tail;
    hw2reg.head.index                = state.head;
    hw2reg.comp_consumer.index.load  = happens.reset_done;
    hw2reg.comp_consumer.index.value = '0;
    hw2reg.comp_producer.index       = state.producer;

    hw2reg.first_error.index        = error_index;
    hw2reg.first_error.cause        = first_error_cause_e'(error_cause);
    hw2reg.first_error.valid        = error_valid;
    hw2reg.first_error_addr_lo.addr = error_addr[31:0];
    hw2reg.first_error_addr_hi.addr = error_addr[39:32];

    hw2reg.descriptors.count        = descriptors;
    hw2reg.bytes_read_lo.count      = bytes_read[31:0];
    hw2reg.bytes_read_hi.count      = bytes_read[47:32];
    hw2reg.bytes_written_lo.count   = bytes_written[31:0];
    hw2reg.bytes_written_hi.count   = bytes_written[47:32];
    hw2reg.errors                   = errors;
    hw2reg.ring_overruns.count      = ring_overruns;
    hw2reg.doorbell_overruns.count  = doorbell_overruns;
    hw2reg.comp_lost.count          = comp_lost;
    hw2reg.cycles_busy.count        = cycles_busy;
    hw2reg.cycles_read_stall.count  = cycles_read_stall;
    hw2reg.cycles_write_stall.count = cycles_write_stall;
    hw2reg.cycles_throttled.count   = cycles_throttled;
  end

  logic irq_q, read_q, write_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      irq_q   <= 1'b0;
      read_q  <= 1'b0;
      write_q <= 1'b0;
    end else begin
      irq_q   <= |(reg2hw.irq_status & reg2hw.irq_mask);
      read_q  <= happens.read_beat;
      write_q <= happens.strobes != '0;
    end
  end
  assign irq_o = irq_q;
  assign activity_o = {read_q, {3{write_q}}};
endmodule
