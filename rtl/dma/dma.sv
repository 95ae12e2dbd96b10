// DMA engine of four queues: registers, interrupt and counters around the engine. docs/dma.md has the programmer's model.
module dma #(
    parameter logic Engine = 1'b0  // bit 3 of its AXI IDs
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  tern_pkg::reg_req_t reg_req_i,
    output tern_pkg::reg_rsp_t reg_rsp_o,
    output tern_pkg::axi_req_t axi_req_o,
    input  tern_pkg::axi_rsp_t axi_rsp_i,
    output tern_pkg::sem_req_t sem_req_o,
    input  tern_pkg::sem_rsp_t sem_rsp_i,
    input  logic               throttle_i,   // any clock
    output logic               irq_o,
    output logic [3:0]         activity_o,   // 0 idle, 7 writes, 8 reads, 15 both
    output logic               clock_on_o    // the engine's own clock ran in the last cycle
);
  import tern_pkg::*;
  import dma_pkg::*;
  import dma_regs_pkg::*;

  dma_reg2hw_t reg2hw;
  dma_hw2reg_t hw2reg;

  // The engine's clock, that of its registers too, stands still while nothing is under way and no one asks. A queue that waits for its
  // semaphore or for room in its completion ring is at work: its cycles are counted.
  /* verilator coverage_off */  // clock_gate.sv says why
  logic clk;
  /* verilator coverage_on */
  logic shown, busy, throttle_meta_q, throttle_sync_q, throttle_q;
  assign shown = reg_req_i.valid || axi_rsp_i.b_valid || axi_rsp_i.r_valid;
  rest_clock u_clock (
      .clk_i, .rst_ni, .wake_i(shown || busy || throttle_sync_q != throttle_q), .hold_i(1'b0), .clk_o(clk), .on_o(clock_on_o));

  dma_regs u_regs (.clk_i(clk), .rst_ni, .reg_req_i, .reg_rsp_o, .reg2hw_o(reg2hw), .hw2reg_i(hw2reg));

  // What follows the throttle does so on the engine's clock.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {throttle_sync_q, throttle_meta_q} <= '0;
    else {throttle_sync_q, throttle_meta_q} <= {throttle_meta_q, throttle_i};
  end
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) throttle_q <= 1'b0;
    else throttle_q <= throttle_sync_q;
  end

  config_t engine_config;
  queue_config_t [NumQueues-1:0] queue_config;
  queue_command_t [NumQueues-1:0] command;
  logic [NumQueues-1:0] clear_error;
  logic clear_counters;
  always_comb begin
    engine_config.long_bursts     = reg2hw.ctrl.long_bursts;
    engine_config.throttled       = throttle_q;
    engine_config.throttle_run    = reg2hw.throttle.run;
    engine_config.throttle_period = reg2hw.throttle.period;
    clear_counters                = reg2hw.command.clear_counters.pulse && reg2hw.command.clear_counters.value;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      queue_config[q].enable        = reg2hw.q_ctrl[q].enable;
      queue_config[q].halt_on_error = reg2hw.q_ctrl[q].halt_on_error;
      queue_config[q].ring_base     = {reg2hw.ring_base_hi[q].addr, reg2hw.ring_base_lo[q].addr, 6'b0};
      queue_config[q].ring_log2     = reg2hw.ring_size[q].log2;
      queue_config[q].comp_base     = {reg2hw.comp_base_hi[q].addr, reg2hw.comp_base_lo[q].addr, 6'b0};
      queue_config[q].comp_log2     = reg2hw.comp_size[q].log2;
      queue_config[q].consumer      = reg2hw.comp_consumer[q].index;

      command[q].abort_all       = reg2hw.q_command[q].abort_all.pulse && reg2hw.q_command[q].abort_all.value;
      command[q].resume        = reg2hw.q_command[q].resume.pulse && reg2hw.q_command[q].resume.value;
      command[q].reset         = reg2hw.q_command[q].reset.pulse && reg2hw.q_command[q].reset.value;
      command[q].doorbell      = reg2hw.doorbell[q].tail.pulse;
      command[q].doorbell_tail = reg2hw.doorbell[q].tail.value;
      clear_error[q]           = reg2hw.q_command[q].clear_error.pulse && reg2hw.q_command[q].clear_error.value;
    end
  end

  queue_state_t [NumQueues-1:0] state;
  queue_event_t [NumQueues-1:0] queue_event;
  event_t happens;
  result_t result;
  dma_engine #(.Engine(Engine)) u_engine (
      .clk_i(clk), .rst_ni, .config_i(engine_config), .queue_config_i(queue_config), .command_i(command), .state_o(state),
      .queue_event_o(queue_event), .event_o(happens), .result_o(result), .busy_o(busy), .sem_req_o, .sem_rsp_i, .axi_req_o, .axi_rsp_i);

  logic watchdog, moving, transfer_end;
  logic [NumQueues-1:0] completion;
  dma_watchdog u_watchdog (
      .clk_i(clk), .rst_ni, .limit_i(reg2hw.watchdog.cycles), .outstanding_i(happens.outstanding), .moves_i(happens.moves),
      .watchdog_o(watchdog));

  logic [NumQueues-1:0][31:0] descriptors, transfers, ring_overruns, doorbell_overruns, comp_lost, cycles_waiting;
  logic [NumQueues-1:0] error_valid;
  index_t [NumQueues-1:0] error_index;
  logic [NumQueues-1:0][3:0] error_cause;
  addr_t [NumQueues-1:0] error_addr;
  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    status_e cause;
    dma_coalesce u_coalesce (
        .clk_i(clk), .rst_ni, .coalesce_i(reg2hw.q_ctrl[q].irq_coalesce), .done_irq_i(queue_event[q].comp_done_irq),
        .quiet_i(state[q].quiet), .completion_o(completion[q]));
    dma_queue_counters u_counters (
        .clk_i(clk), .rst_ni, .clear_i(clear_counters), .clear_error_i(clear_error[q]), .event_i(queue_event[q]),
        .result_i(result), .descriptors_o(descriptors[q]), .transfers_o(transfers[q]),
        .ring_overruns_o(ring_overruns[q]), .doorbell_overruns_o(doorbell_overruns[q]), .comp_lost_o(comp_lost[q]),
        .cycles_waiting_o(cycles_waiting[q]), .error_valid_o(error_valid[q]), .error_index_o(error_index[q]),
        .error_cause_o(cause), .error_addr_o(error_addr[q]));
    assign error_cause[q] = cause;
  end

  logic [31:0] cycles_busy, cycles_read_stall, cycles_write_stall, cycles_throttled;
  logic [NumStatus-1:0][31:0] errors;
  logic [47:0] bytes_read, bytes_written;
  dma_counters u_counters (
      .clk_i(clk), .rst_ni, .clear_i(clear_counters), .event_i(happens), .busy_i(moving), .transfer_end_i(transfer_end),
      .status_i(result.status), .errors_o(errors), .bytes_read_o(bytes_read), .bytes_written_o(bytes_written),
      .cycles_busy_o(cycles_busy), .cycles_read_stall_o(cycles_read_stall), .cycles_write_stall_o(cycles_write_stall),
      .cycles_throttled_o(cycles_throttled));

  logic [NumQueues-1:0] queue_irq;
  always_comb begin
    moving       = 1'b0;
    transfer_end = 1'b0;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      moving |= state[q].moving;
      transfer_end |= queue_event[q].transfer_end;
      queue_irq[q] = |(reg2hw.q_irq_status[q] & reg2hw.q_irq_mask[q]);

      hw2reg.status.busy[q]   = state[q].busy;
      hw2reg.status.halted[q] = state[q].halted;

      hw2reg.q_status[q].busy       = state[q].busy;
      hw2reg.q_status[q].halted     = state[q].halted;
      hw2reg.q_status[q].draining   = state[q].draining;
      hw2reg.q_status[q].comp_full  = state[q].comp_full;
      hw2reg.q_status[q].waiting    = state[q].waiting;
      hw2reg.q_status[q].chain      = state[q].chain;
      hw2reg.q_status[q].bad_config = state[q].bad_config;
      hw2reg.q_status[q].in_flight  = state[q].in_flight;

      hw2reg.q_irq_status[q].completion = completion[q];
      hw2reg.q_irq_status[q].error      = queue_event[q].transfer_end && result.status != StatusOk;
      hw2reg.q_irq_status[q].doorbell   = queue_event[q].overrun;
      hw2reg.q_irq_status[q].comp_full  = queue_event[q].comp_full;
      hw2reg.q_irq_status[q].halted     = queue_event[q].halted;
      hw2reg.q_irq_status[q].refused    = queue_event[q].refused;
      hw2reg.q_irq_status[q].comp_lost  = queue_event[q].comp_lost;

      hw2reg.tail[q].index                = state[q].tail;
      hw2reg.head[q].index                = state[q].head;
      hw2reg.comp_consumer[q].index.load  = queue_event[q].reset_done;
      hw2reg.comp_consumer[q].index.value = '0;
      hw2reg.comp_producer[q].index       = state[q].producer;

      hw2reg.first_error[q].index        = error_index[q];
      hw2reg.first_error[q].cause        = first_error_cause_e'(error_cause[q]);
      hw2reg.first_error[q].valid        = error_valid[q];
      hw2reg.first_error_addr_lo[q].addr = error_addr[q][31:0];
      hw2reg.first_error_addr_hi[q].addr = error_addr[q][39:32];

      hw2reg.descriptors[q].count       = descriptors[q];
      hw2reg.transfers[q].count         = transfers[q];
      hw2reg.ring_overruns[q].count     = ring_overruns[q];
      hw2reg.doorbell_overruns[q].count = doorbell_overruns[q];
      hw2reg.comp_lost[q].count         = comp_lost[q];
      hw2reg.cycles_waiting[q].count    = cycles_waiting[q];
    end
    hw2reg.status.throttled    = throttle_q;
    hw2reg.irq_status.queues   = queue_irq;
    hw2reg.irq_status.watchdog = watchdog;

    hw2reg.bytes_read_lo.count      = bytes_read[31:0];
    hw2reg.bytes_read_hi.count      = bytes_read[47:32];
    hw2reg.bytes_written_lo.count   = bytes_written[31:0];
    hw2reg.bytes_written_hi.count   = bytes_written[47:32];
    hw2reg.errors                   = errors;
    hw2reg.cycles_busy.count        = cycles_busy;
    hw2reg.cycles_read_stall.count  = cycles_read_stall;
    hw2reg.cycles_write_stall.count = cycles_write_stall;
    hw2reg.cycles_throttled.count   = cycles_throttled;
  end

  logic irq_q, read_q, write_q;
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      irq_q   <= 1'b0;
      read_q  <= 1'b0;
      write_q <= 1'b0;
    end else begin
      irq_q   <= queue_irq != '0 || (reg2hw.irq_status.watchdog && reg2hw.irq_mask.watchdog);
      read_q  <= happens.read_beat;
      write_q <= happens.strobes != '0;
    end
  end
  assign irq_o = irq_q;
  assign activity_o = {read_q, {3{write_q}}};

  logic unused;
  assign unused = ^state;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) reg_req_i.valid && !reg_rsp_o.ready |=> reg_rsp_o.ready)
  else $error("a register access met a clock that stands still");
  assert property (@(posedge clk_i) disable iff (!rst_ni) axi_rsp_i.b_valid || axi_rsp_i.r_valid |=> clock_on_o)
  else $error("an answer met a clock that stands still");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !clock_on_o |->
                   !axi_req_o.aw_valid && !axi_req_o.w_valid && !axi_req_o.ar_valid && !sem_req_o.attempt && !sem_req_o.give)
  else $error("a request stands still with its clock");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !clock_on_o |-> irq_o == (queue_irq != '0 || (reg2hw.irq_status.watchdog && reg2hw.irq_mask.watchdog)))
  else $error("an interrupt stands still with its clock");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !clock_on_o |-> !happens.outstanding && activity_o == '0)
  else $error("the clock stands still while the engine works");
`endif
endmodule
