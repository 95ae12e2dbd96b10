// Controller of the external memory, between the fabric's memory port and the pins: training of the delay taps, memory test, spare rows.
// docs/hbm.md is the programmer's model. No path leads from a response to a request or back without a register.
module hbm
  import tern_pkg::*;
  import hbm_pkg::*;
  import hbm_regs_pkg::*;
(
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  reg_req_t                        reg_req_i,
    output reg_rsp_t                        reg_rsp_o,
    input  axi_req_t                        axi_req_i,   // from the fabric
    output axi_rsp_t                        axi_rsp_o,
    output axi_req_t                        axi_req_o,   // to the pins
    input  axi_rsp_t                        axi_rsp_i,
    output logic [Lanes-1:0][TapWidth-1:0]  rd_delay_o,
    output logic [Lanes-1:0][TapWidth-1:0]  wr_delay_o,
    output logic                            irq_o,
    output logic                            clock_on_o   // the controller's own clock ran in the last cycle
);
  hbm_reg2hw_t reg2hw;
  hbm_hw2reg_t hw2reg;

  // The controller's clock, that of its registers too, stands still while nothing is under way and no one asks.
  /* verilator coverage_off */  // clock_gate.sv says why
  logic clk;
  /* verilator coverage_on */
  logic shown, port_busy, works;
  assign shown = reg_req_i.valid || axi_req_i.aw_valid || axi_req_i.w_valid || axi_req_i.ar_valid || axi_rsp_i.b_valid || axi_rsp_i.r_valid;
  rest_clock u_clock (
      .clk_i,
      .rst_ni,
      .wake_i(shown || port_busy || works),
      .hold_i(1'b0),
      .clk_o(clk),
      .on_o(clock_on_o)
  );

  hbm_regs i_regs (
      .clk_i(clk),
      .rst_ni,
      .reg_req_i,
      .reg_rsp_o,
      .reg2hw_o(reg2hw),
      .hw2reg_i(hw2reg)
  );

  logic [31:0] size, bist_base, bist_length;
  assign size = {reg2hw.size.pages, 12'd0};
  assign bist_base = {reg2hw.bist_base.row, 10'd0};
  assign bist_length = {reg2hw.bist_length.rows, 10'd0};

  // ---------------------------------------------------------------------------------------------------------------------- commands
  typedef enum logic [2:0] {
    Idle,
    Drain,    // what the fabric has under way ends
    Run,
    Stop,     // what the engine has under way ends
    Repair
  } state_e;
  state_e state_q;
  engine_e engine_q, asked;
  logic trained_q, bist_passed_q, hold, open, fabric_idle, port_engine_idle, page_busy, waiting, repair_busy;

  logic command, stop;
  always_comb begin
    asked = EngineNone;
    stop = 1'b0;
    if (reg2hw.command.train.pulse) begin
      if (reg2hw.command.train.value) asked = EngineTrain;
      else if (reg2hw.command.probe.value) asked = EngineProbe;
      else if (reg2hw.command.bist.value) asked = EngineBist;
      else stop = reg2hw.command.stop.value;
    end
    command = asked != EngineNone;
  end

  logic range_bad, nothing, refuse, accept;
  logic [32:0] bist_end;
  assign bist_end = {1'b0, bist_base} + {1'b0, bist_length};
  assign range_bad = bist_length == '0 || bist_end > {1'b0, size};
  assign nothing = reg2hw.bist_ctrl.tests == '0;
  always_comb begin
    refuse = state_q != Idle || waiting;
    if (asked == EngineBist && (!trained_q || range_bad || nothing)) refuse = 1'b1;
    if (asked == EngineProbe && !reg2hw.probe_ctrl.write && !reg2hw.probe_ctrl.read) refuse = 1'b1;
  end
  assign accept = command && !refuse;

  // ---------------------------------------------------------------------------------------------------------------------- patience
  logic [23:0] quiet_q;
  logic answer, out_of_patience;
  engine_req_t engine_req, page_req, bist_req;
  engine_rsp_t engine_rsp, page_rsp, bist_rsp;
  assign answer = engine_rsp.r_valid || engine_rsp.b_valid;
  assign out_of_patience = reg2hw.patience.cycles != '0 && quiet_q == reg2hw.patience.cycles && (state_q == Drain || state_q == Run || state_q == Stop);
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) quiet_q <= '0;
    else if (state_q == Idle || answer || out_of_patience) quiet_q <= '0;
    else quiet_q <= quiet_q + 24'd1;
  end

  // ------------------------------------------------------------------------------------------------------------------------- state
  logic train_done, train_pass, bist_done, bist_fail, begin_run, abort, ended;
  assign begin_run = state_q == Drain && fabric_idle && !out_of_patience && !stop;
  assign abort = (state_q == Run || state_q == Drain) && (stop || out_of_patience);
  assign ended = (state_q == Run && (train_done || (bist_done && !reg2hw.bist_ctrl.repair))) || (state_q == Repair && !repair_busy) ||
                 (state_q == Stop && (!waiting || out_of_patience)) || ((state_q == Run || state_q == Drain) && out_of_patience);

  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      engine_q <= EngineNone;
      trained_q <= 1'b0;
      bist_passed_q <= 1'b0;
    end else begin
      if (ended) state_q <= Idle;
      else
        unique case (state_q)
          Idle:
          if (accept) begin
            state_q <= Drain;
            engine_q <= asked;
            if (asked == EngineTrain) trained_q <= 1'b0;
            if (asked != EngineProbe) bist_passed_q <= 1'b0;
          end
          Drain: begin
            if (stop) state_q <= Stop;
            else if (fabric_idle) state_q <= Run;
          end
          Run: begin
            if (stop) state_q <= Stop;
            else if (bist_done) state_q <= Repair;
          end
          default: ;
        endcase
      if (state_q == Run && train_done && engine_q == EngineTrain && !abort) trained_q <= train_pass;
      if (state_q == Run && bist_done && !abort) bist_passed_q <= !bist_fail;
    end
  end
  assign hold = state_q == Drain;
  assign waiting = page_busy || !port_engine_idle;
  assign open = trained_q && state_q == Idle && !waiting;
  assign works = state_q != Idle || page_busy;

  // ----------------------------------------------------------------------------------------------------------------------- engines
  logic page_write, page_read, page_done, page_error;
  logic [15:0] page_number;
  logic [Lanes-1:0][8:0] wrong_bits;
  train_result_reason_e reason;
  logic [2:0] bad_lane;
  logic bad_direction;
  window_t [Lanes-1:0] rd_window, wr_window;
  logic [Lanes-1:0] rd_load, wr_load;
  tap_t [Lanes-1:0] rd_tap, wr_tap;

  hbm_train i_train (
      .clk_i(clk),
      .rst_ni,
      .train_i(begin_run && engine_q == EngineTrain),
      .probe_i(begin_run && engine_q == EngineProbe),
      .probe_write_i(reg2hw.probe_ctrl.write),
      .probe_read_i(reg2hw.probe_ctrl.read),
      .abort_i(abort && engine_q != EngineBist),
      .abort_reason_i(stop ? TrainResultReasonStopped : TrainResultReasonNoAnswer),
      .min_window_i(reg2hw.train_ctrl.min_window),
      .settle_i(reg2hw.train_ctrl.settle),
      .done_o(train_done),
      .pass_o(train_pass),
      .reason_o(reason),
      .lane_o(bad_lane),
      .direction_o(bad_direction),
      .rd_window_o(rd_window),
      .wr_window_o(wr_window),
      .rd_load_o(rd_load),
      .wr_load_o(wr_load),
      .rd_tap_o(rd_tap),
      .wr_tap_o(wr_tap),
      .page_write_o(page_write),
      .page_read_o(page_read),
      .page_done_i(page_done),
      .page_error_i(page_error),
      .wrong_bits_i(wrong_bits)
  );
  hbm_page i_page (
      .clk_i(clk),
      .rst_ni,
      .offset_i({reg2hw.size.pages + 20'd1, 12'd0}),
      .write_i(page_write),
      .read_i(page_read),
      .busy_o(page_busy),
      .done_o(page_done),
      .error_o(page_error),
      .number_o(page_number),
      .wrong_bits_o(wrong_bits),
      .req_o(page_req),
      .rsp_i(page_rsp)
  );

  test_e test, first_test;
  logic [2:0] element, first_element;
  logic [31:0] blocks, errors, first_offset;
  logic [15:0] bus_errors;
  logic first_bus_error, wrong;
  logic [63:0] first_bits;
  logic [Lanes-1:0][23:0] lane_errors;
  row_t wrong_row;
  logic bist_start;
  assign bist_start = begin_run && engine_q == EngineBist;
  hbm_bist i_bist (
      .clk_i(clk),
      .rst_ni,
      .start_i(bist_start),
      .abort_i(abort && engine_q == EngineBist),
      .tests_i(reg2hw.bist_ctrl.tests),
      .burst_i(reg2hw.bist_ctrl.burst),
      .seed_i(reg2hw.bist_seed.seed),
      .base_i(bist_base),
      .length_i(bist_length),
      .size_i(size),
      .done_o(bist_done),
      .fail_o(bist_fail),
      .test_o(test),
      .element_o(element),
      .blocks_o(blocks),
      .errors_o(errors),
      .bus_errors_o(bus_errors),
      .first_test_o(first_test),
      .first_element_o(first_element),
      .first_bus_error_o(first_bus_error),
      .first_offset_o(first_offset),
      .first_bits_o(first_bits),
      .lane_errors_o(lane_errors),
      .wrong_o(wrong),
      .wrong_row_o(wrong_row),
      .req_o(bist_req),
      .rsp_i(bist_rsp)
  );
  assign engine_req = engine_q == EngineBist ? bist_req : page_req;
  assign page_rsp = engine_q == EngineBist ? engine_rsp_t'('0) : engine_rsp;
  assign bist_rsp = engine_q == EngineBist ? engine_rsp : engine_rsp_t'('0);

  // How the last test ended.
  logic bist_ended_q, bist_no_answer_q, bist_stopped_q;
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      bist_ended_q <= 1'b0;
      bist_no_answer_q <= 1'b0;
      bist_stopped_q <= 1'b0;
    end else if (accept && asked == EngineBist) begin
      bist_ended_q <= 1'b0;
      bist_no_answer_q <= 1'b0;
      bist_stopped_q <= 1'b0;
    end else if (engine_q == EngineBist) begin
      if (abort) begin
        bist_stopped_q <= stop;
        bist_no_answer_q <= !stop;
      end else if (bist_done) begin
        bist_ended_q <= 1'b1;
      end
    end
  end

  // -------------------------------------------------------------------------------------------------------------------- spare rows
  spare_t [Spares-1:0] spares, spares_load;
  logic [Spares-1:0] spares_load_en;
  logic exhausted;
  always_comb
    for (int unsigned s = 0; s < Spares; s++)
      spares[s] = '{enable: reg2hw.repair[s].enable, dead: reg2hw.repair[s].dead, row: reg2hw.repair[s].row};
  hbm_repair i_repair (
      .clk_i(clk),
      .rst_ni,
      .start_i(bist_start),
      .wrong_i(wrong),
      .wrong_row_i(wrong_row),
      .assign_i(state_q == Run && bist_done && reg2hw.bist_ctrl.repair && !abort),
      .spares_i(spares),
      .load_o(spares_load_en),
      .spares_o(spares_load),
      .busy_o(repair_busy),
      .exhausted_o(exhausted)
  );

  // -------------------------------------------------------------------------------------------------------------------------- port
  logic access_refused;
  hbm_port i_port (
      .clk_i(clk),
      .rst_ni,
      .size_i(size),
      .open_i(open),
      .hold_i(hold),
      .spares_i(spares),
      .fabric_idle_o(fabric_idle),
      .engine_idle_o(port_engine_idle),
      .busy_o(port_busy),
      .access_refused_o(access_refused),
      .engine_req_i(engine_req),
      .engine_rsp_o(engine_rsp),
      .axi_req_i,
      .axi_rsp_o,
      .axi_req_o,
      .axi_rsp_i
  );
  always_comb
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      rd_delay_o[lane] = reg2hw.rd_tap[lane].tap;
      wr_delay_o[lane] = reg2hw.wr_tap[lane].tap;
    end

  // ------------------------------------------------------------------------------------------------------------------------ status
  logic all_rd, all_wr;
  assign all_rd = reg2hw.tap_all.set_rd.pulse && reg2hw.tap_all.set_rd.value;
  assign all_wr = reg2hw.tap_all.set_wr.pulse && reg2hw.tap_all.set_wr.value;
  always_comb begin
    hw2reg = '0;
    hw2reg.status.trained = trained_q;
    hw2reg.status.bist_passed = bist_passed_q;
    hw2reg.status.ready = trained_q && bist_passed_q;
    hw2reg.status.open = open;
    hw2reg.status.busy = state_q != Idle;
    hw2reg.status.waiting = waiting;
    hw2reg.status.engine = engine_q;
    hw2reg.irq_status.train_done = ended && (engine_q == EngineTrain || engine_q == EngineProbe);
    hw2reg.irq_status.bist_done = ended && engine_q == EngineBist;
    hw2reg.irq_status.refused = command && refuse;
    hw2reg.irq_status.access_refused = access_refused;
    hw2reg.train_result.reason = reason;
    hw2reg.train_result.lane = bad_lane;
    hw2reg.train_result.direction = bad_direction;
    hw2reg.probe_number.number = page_number;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      hw2reg.rd_tap[lane].tap = '{load: rd_load[lane] || all_rd, value: rd_load[lane] ? rd_tap[lane] : reg2hw.tap_all.rd.value};
      hw2reg.wr_tap[lane].tap = '{load: wr_load[lane] || all_wr, value: wr_load[lane] ? wr_tap[lane] : reg2hw.tap_all.wr.value};
      hw2reg.rd_window[lane].first = rd_window[lane].first;
      hw2reg.rd_window[lane].last = rd_window[lane].last;
      hw2reg.rd_window[lane].valid = rd_window[lane].valid;
      hw2reg.wr_window[lane].first = wr_window[lane].first;
      hw2reg.wr_window[lane].last = wr_window[lane].last;
      hw2reg.wr_window[lane].valid = wr_window[lane].valid;
      hw2reg.lane_errors[lane].bits = wrong_bits[lane];
      hw2reg.bist_lane_errors[lane].words = lane_errors[lane];
    end
    hw2reg.bist.done = bist_ended_q;
    hw2reg.bist.fail = bist_fail;
    hw2reg.bist.no_answer = bist_no_answer_q;
    hw2reg.bist.stopped = bist_stopped_q;
    hw2reg.bist_position.test = test;
    hw2reg.bist_position.element = element;
    hw2reg.bist_blocks.count = blocks;
    hw2reg.bist_errors.count = errors;
    hw2reg.bist_bus_errors.count = bus_errors;
    hw2reg.bist_first.test = first_test;
    hw2reg.bist_first.element = first_element;
    hw2reg.bist_first.bus_error = first_bus_error;
    hw2reg.bist_first.valid = bist_fail;
    hw2reg.bist_first_address.offset = first_offset;
    hw2reg.bist_first_bits[0].bits = first_bits[31:0];
    hw2reg.bist_first_bits[1].bits = first_bits[63:32];
    for (int unsigned s = 0; s < Spares; s++) begin
      hw2reg.repair[s].enable = '{load: spares_load_en[s], value: spares_load[s].enable};
      hw2reg.repair[s].dead = '{load: spares_load_en[s], value: spares_load[s].dead};
      hw2reg.repair[s].row = '{load: spares_load_en[s], value: spares_load[s].row};
    end
    hw2reg.repair_status.exhausted = exhausted;
  end
  assign irq_o = |(reg2hw.irq_status & reg2hw.irq_enable);

  logic unused;
  assign unused = ^reg2hw;

`ifndef SYNTHESIS
  assert property (@(posedge clk) disable iff (!rst_ni) state_q == Run && $past(state_q) == Drain |-> fabric_idle)
  else $error("an engine works while the fabric's accesses are under way");
  assert property (@(posedge clk_i) disable iff (!rst_ni) reg_req_i.valid && !reg_rsp_o.ready |=> reg_rsp_o.ready)
  else $error("a register access met a clock that stands still");
  assert property (@(posedge clk_i) disable iff (!rst_ni) (axi_req_i.aw_valid && axi_rsp_o.aw_ready) || (axi_req_i.w_valid && axi_rsp_o.w_ready) ||
                   (axi_req_i.ar_valid && axi_rsp_o.ar_ready) || axi_rsp_i.b_valid || axi_rsp_i.r_valid |=> clock_on_o)
  else $error("a beat met a clock that stands still");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !clock_on_o |-> !axi_req_o.aw_valid && !axi_req_o.w_valid && !axi_req_o.ar_valid &&
                   !axi_rsp_o.b_valid && !axi_rsp_o.r_valid && fabric_idle)
  else $error("something under way stands still with its clock");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !clock_on_o |-> state_q == Idle && !repair_busy && quiet_q == '0 && !waiting)
  else $error("the clock stands still while an engine works");
`endif
endmodule
