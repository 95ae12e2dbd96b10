// 64 KiB of SRAM with SECDED: one array behind an arbiter for the host window, the AXI port, a fill engine and a memory test.
// rtl/regs/sram.yaml describes the registers, secded_pkg the code. Bursts stay within 64 KiB; the upper address bits are not looked at.
module sram
  import tern_pkg::*;
  import sram_pkg::*;
  import secded_pkg::*;
(
    input  logic           clk_i,
    input  logic           rst_ni,
    input  reg_req_t       reg_req_i,
    output reg_rsp_t       reg_rsp_o,
    input  win_req_t       win_req_i,
    output reg_rsp_t       win_rsp_o,
    input  axi_req_t       axi_req_i,
    output axi_rsp_t       axi_rsp_o,
    output logic           irq_o,
    output logic     [3:0] activity_o,  // this cycle's work: 0 idle, 10 a read, 15 a write
    output logic           clock_on_o   // the block's own clock ran in the last cycle
);

  sram_regs_pkg::sram_reg2hw_t reg2hw;
  sram_regs_pkg::sram_hw2reg_t hw2reg;

  // The block's clock, that of its registers too, stands still while nothing is under way and no one asks.
  /* verilator coverage_off */  // clock_gate.sv says why
  logic clk;
  /* verilator coverage_on */
  logic idle, shown;
  assign shown = reg_req_i.valid || win_req_i.valid || axi_req_i.aw_valid || axi_req_i.w_valid || axi_req_i.ar_valid ||
                 axi_rsp_o.b_valid || axi_rsp_o.r_valid;
  rest_clock u_clock (
      .clk_i,
      .rst_ni,
      .wake_i(shown || !idle),
      .hold_i(1'b0),
      .clk_o(clk),
      .on_o(clock_on_o)
  );

  sram_regs i_regs (
      .clk_i(clk),
      .rst_ni,
      .reg_req_i,
      .reg_rsp_o,
      .reg2hw_o(reg2hw),
      .hw2reg_i(hw2reg)
  );

  // Requesters.
  word_req_t host_req, read_req, write_req;
  word_rsp_t host_rsp, read_rsp, write_rsp;
  logic aw_ready, w_ready, b_valid, ar_ready, r_valid;
  axi_b_t b;
  axi_r_t r;

  sram_host i_host (
      .clk_i(clk),
      .rst_ni,
      .win_req_i,
      .win_rsp_o,
      .req_o(host_req),
      .rsp_i(host_rsp)
  );
  sram_axi_read i_axi_read (
      .clk_i(clk),
      .rst_ni,
      .ar_valid_i(axi_req_i.ar_valid),
      .ar_i(axi_req_i.ar),
      .ar_ready_o(ar_ready),
      .r_valid_o(r_valid),
      .r_o(r),
      .r_ready_i(axi_req_i.r_ready),
      .req_o(read_req),
      .rsp_i(read_rsp)
  );
  sram_axi_write i_axi_write (
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
      .req_o(write_req),
      .rsp_i(write_rsp)
  );
  assign axi_rsp_o = '{
          aw_ready: aw_ready,
          w_ready: w_ready,
          b_valid: b_valid,
          b: b,
          ar_ready: ar_ready,
          r_valid: r_valid,
          r: r
      };

  // Maintenance: one engine at a time.
  logic fill_busy, fill_done, mbist_busy, mbist_ended, mbist_done, mbist_fail, maint_ready;
  raw_req_t fill_req, mbist_req;
  code_t raw_rdata, mbist_bits;
  logic [31:0] mbist_fails;
  word_addr_t mbist_addr;
  logic [2:0] mbist_element;
  logic [1:0] mbist_background;
  logic fill_start, mbist_start, mbist_wrong, repair_busy, repair_exhausted;
  word_addr_t mbist_wrong_addr;
  assign idle = !fill_busy && !mbist_busy && !repair_busy;
  assign fill_start = idle && reg2hw.fill.start.pulse && reg2hw.fill.start.value;
  assign mbist_start = idle && reg2hw.mbist.start.pulse && reg2hw.mbist.start.value;

  sram_fill i_fill (
      .clk_i(clk),
      .rst_ni,
      .start_i(fill_start),
      .data_i ({reg2hw.fill_data[1].value, reg2hw.fill_data[0].value}),
      .busy_o (fill_busy),
      .done_o (fill_done),
      .req_o  (fill_req),
      .ready_i(maint_ready)
  );
  logic first_array, mbist_valid, mbist_write;
  word_addr_t mbist_word;
  code_t mbist_code;
  assign mbist_req = '{valid: mbist_valid, write: mbist_write, addr: mbist_word, code: mbist_code};
  mem_mbist #(
      .Words(Words),
      .Bits (CodeBits)
  ) i_mbist (
      .clk_i(clk),
      .rst_ni,
      .start_i(mbist_start),
      .stop_i(reg2hw.mbist.stop.pulse && reg2hw.mbist.stop.value),
      .backgrounds_i(reg2hw.mbist.backgrounds),
      .last_i(word_addr_t'(Words - 1)),
      .bits_i('1),
      .arrays_i(1'b1),
      .busy_o(mbist_busy),
      .ended_o(mbist_ended),
      .done_o(mbist_done),
      .fail_o(mbist_fail),
      .fail_count_o(mbist_fails),
      .first_addr_o(mbist_addr),
      .first_array_o(first_array),
      .first_element_o(mbist_element),
      .first_background_o(mbist_background),
      .first_bits_o(mbist_bits),
      .wrong_o(mbist_wrong),
      .wrong_addr_o(mbist_wrong_addr),
      .valid_o(mbist_valid),
      .write_o(mbist_write),
      .addr_o(mbist_word),
      .data_o(mbist_code),
      .ready_i(maint_ready),
      .data_i(raw_rdata)
  );

  // Spare rows.
  logic [Spares-1:0] spare_enable, spare_dead, spare_load, spare_dead_now;
  word_addr_t [Spares-1:0] spare_addr;
  word_addr_t spare_word;
  always_comb
    for (int unsigned s = 0; s < Spares; s++) begin
      spare_enable[s] = reg2hw.repair[s].enable;
      spare_dead[s]   = reg2hw.repair[s].dead;
      spare_addr[s]   = reg2hw.repair[s].address[15:3];
    end
  mem_repair #(
      .AddrWidth(WordAddrWidth),
      .Spares(Spares)
  ) i_repair (
      .clk_i(clk),
      .rst_ni,
      .start_i(mbist_start),
      .wrong_i(mbist_wrong),
      .wrong_addr_i(mbist_wrong_addr),
      .assign_i(mbist_ended && reg2hw.mbist.repair),
      .enable_i(spare_enable),
      .dead_i(spare_dead),
      .addr_i(spare_addr),
      .load_o(spare_load),
      .dead_o(spare_dead_now),
      .addr_o(spare_word),
      .busy_o(repair_busy),
      .exhausted_o(repair_exhausted)
  );

  // Injection.
  logic [15:0] inject_writes_q, inject_reads_q;
  logic inject_write_done, inject_read_done;
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) begin
      inject_writes_q <= '0;
      inject_reads_q  <= '0;
    end else begin
      if (reg2hw.inject_arm.writes.pulse) inject_writes_q <= reg2hw.inject_arm.writes.value;
      else if (inject_write_done) inject_writes_q <= inject_writes_q - 16'd1;
      if (reg2hw.inject_arm.reads.pulse) inject_reads_q <= reg2hw.inject_arm.reads.value;
      else if (inject_read_done) inject_reads_q <= inject_reads_q - 16'd1;
    end
  end

  // The array.
  ecc_event_t ecc_event;
  logic active_read, active_write;
  sram_access i_access (
      .clk_i(clk),
      .rst_ni,
      .host_req_i(host_req),
      .host_rsp_o(host_rsp),
      .read_req_i(read_req),
      .read_rsp_o(read_rsp),
      .write_req_i(write_req),
      .write_rsp_o(write_rsp),
      .maint_busy_i(!idle),
      .maint_req_i(fill_busy ? fill_req : mbist_req),
      .maint_ready_o(maint_ready),
      .raw_rdata_o(raw_rdata),
      .spare_enable_i(spare_enable),
      .spare_dead_i(spare_dead),
      .spare_addr_i(spare_addr),
      .write_back_i(reg2hw.ctrl.write_back),
      .inject_mask_i({reg2hw.inject_check.bits, reg2hw.inject_mask[1].bits, reg2hw.inject_mask[0].bits}),
      .inject_match_i(reg2hw.inject_match.enable),
      .inject_addr_i(reg2hw.inject_match.address[15:3]),
      .inject_write_i(inject_writes_q != '0),
      .inject_read_i(inject_reads_q != '0),
      .inject_write_done_o(inject_write_done),
      .inject_read_done_o(inject_read_done),
      .stuck_en_i({reg2hw.stuck[1].enable, reg2hw.stuck[0].enable}),
      .stuck_addr_i({reg2hw.stuck[1].address[15:3], reg2hw.stuck[0].address[15:3]}),
      .stuck_bit_i({reg2hw.stuck[1].position, reg2hw.stuck[0].position}),
      .stuck_value_i({reg2hw.stuck[1].value, reg2hw.stuck[0].value}),
      .event_o(ecc_event),
      .active_read_o(active_read),
      .active_write_o(active_write)
  );
  assign activity_o = active_write ? 4'd15 : active_read ? 4'd10 : 4'd0;

  // Status.
  logic [31:0] corrected_count, uncorrected_count;
  logic corrected_valid, uncorrected_valid;
  ecc_event_t corrected_first, uncorrected_first;
  sram_ecc_status i_status (
      .clk_i(clk),
      .rst_ni,
      .clear_i(reg2hw.ctrl.clear_counts.pulse && reg2hw.ctrl.clear_counts.value),
      .event_i(ecc_event),
      .corrected_count_o(corrected_count),
      .uncorrected_count_o(uncorrected_count),
      .corrected_valid_o(corrected_valid),
      .corrected_first_o(corrected_first),
      .uncorrected_valid_o(uncorrected_valid),
      .uncorrected_first_o(uncorrected_first)
  );

  always_comb begin
    hw2reg = '0;
    hw2reg.status.fill_busy = fill_busy;
    hw2reg.status.mbist_busy = mbist_busy;
    hw2reg.irq_status.uncorrected = ecc_event.uncorrected;
    hw2reg.irq_status.corrected = ecc_event.corrected;
    hw2reg.irq_status.fill_done = fill_done;
    hw2reg.irq_status.mbist_done = mbist_ended;
    hw2reg.corrected_count.value = corrected_count;
    hw2reg.uncorrected_count.value = uncorrected_count;
    hw2reg.corrected_first.address = {corrected_first.addr, 3'd0};
    hw2reg.corrected_first.syndrome = corrected_first.syndrome;
    hw2reg.corrected_first.source = corrected_first.source;
    hw2reg.corrected_first.valid = corrected_valid;
    hw2reg.uncorrected_first.address = {uncorrected_first.addr, 3'd0};
    hw2reg.uncorrected_first.syndrome = uncorrected_first.syndrome;
    hw2reg.uncorrected_first.source = uncorrected_first.source;
    hw2reg.uncorrected_first.valid = uncorrected_valid;
    hw2reg.inject_left.writes = inject_writes_q;
    hw2reg.inject_left.reads = inject_reads_q;
    hw2reg.mbist.busy = mbist_busy || repair_busy;
    hw2reg.mbist.done = mbist_done;
    hw2reg.mbist.fail = mbist_fail;
    hw2reg.mbist_fails.count = mbist_fails;
    hw2reg.mbist_first.address = {mbist_addr, 3'd0};
    hw2reg.mbist_first.element = mbist_element;
    hw2reg.mbist_first.background = mbist_background;
    hw2reg.mbist_first_bits[0].bits = mbist_bits[31:0];
    hw2reg.mbist_first_bits[1].bits = mbist_bits[63:32];
    hw2reg.mbist_first_check.bits = mbist_bits[71:64];
    for (int unsigned s = 0; s < Spares; s++) begin
      hw2reg.repair[s].enable = '{load: spare_load[s], value: 1'b1};
      hw2reg.repair[s].dead = '{load: spare_load[s], value: spare_dead_now[s]};
      // A bad row keeps the address, so that one sees which word found it out.
      hw2reg.repair[s].address = '{load: spare_load[s], value: {spare_word, 3'd0}};
    end
    hw2reg.repair_status.exhausted = repair_exhausted;
  end

  logic unused;
  assign unused = ^{corrected_first, uncorrected_first, first_array};

  assign irq_o = |(reg2hw.irq_status & reg2hw.irq_enable);

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) reg_req_i.valid && !reg_rsp_o.ready |=> reg_rsp_o.ready)
  else $error("a register access met a clock that stands still");
  assert property (@(posedge clk_i) disable iff (!rst_ni) win_req_i.valid || (axi_req_i.aw_valid && axi_rsp_o.aw_ready) ||
                   (axi_req_i.w_valid && axi_rsp_o.w_ready) || (axi_req_i.ar_valid && axi_rsp_o.ar_ready) |=> clock_on_o)
  else $error("an access met a clock that stands still");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !clock_on_o |-> !axi_rsp_o.b_valid && !axi_rsp_o.r_valid && idle &&
                   (activity_o == '0 || shown))
  else $error("the clock stands still while the memory works");
`endif
endmodule
