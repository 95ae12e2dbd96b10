// Identity, straps, reference time, the summary of interrupts, and the record of host accesses that went wrong.
module chip
  import tern_pkg::*;
  import host_pkg::*;
  import chip_regs_pkg::chip_reg2hw_t, chip_regs_pkg::chip_hw2reg_t;
(
    input  logic     clk_i,
    input  logic     rst_ni,
    input  reg_req_t reg_req_i,
    output reg_rsp_t reg_rsp_o,

    input logic [7:0] straps_i,  // asynchronous; steady when the power-on reset ends

    // Interrupts of the blocks, synchronous to clk_i.
    input  logic power_irq_i,
    input  logic thermal_irq_i,
    input  logic sram_irq_i,
    input  logic dma0_irq_i,
    input  logic dma1_irq_i,
    input  logic link_irq_i,
    input  logic tensor_irq_i,
    input  logic hbm_irq_i,
    input  logic mesh_irq_i,
    output logic irq_o,

    // Which blocks have their clock, synchronous to clk_i.
    input logic sram_clock_i,
    input logic dma0_clock_i,
    input logic dma1_clock_i,
    input logic tensor_clock_i,
    input logic hbm_clock_i,
    input logic mesh_clock_i,

    input  host_event_t event_i,
    output logic [15:0] timeout_cycles_o
);

  chip_reg2hw_t reg2hw;
  chip_hw2reg_t hw2reg;
  chip_regs i_regs (
      .clk_i,
      .rst_ni,
      .reg_req_i,
      .reg_rsp_o,
      .reg2hw_o(reg2hw),
      .hw2reg_i(hw2reg)
  );

  // Straps: taken once, when the synchroniser has surely seen them.
  localparam logic [2:0] StrapDelay = 3'd4;
  logic [7:0] straps, straps_q;
  logic [2:0] strap_delay_q;
  logic straps_valid_q;
  bit_sync #(
      .Width(8)
  ) i_straps (
      .clk_i,
      .rst_ni,
      .d_i(straps_i),
      .q_o(straps)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      straps_q <= '0;
      strap_delay_q <= '0;
      straps_valid_q <= 1'b0;
    end else if (!straps_valid_q) begin
      strap_delay_q <= strap_delay_q + 3'd1;
      if (strap_delay_q == StrapDelay) begin
        straps_q <= straps;
        straps_valid_q <= 1'b1;
      end
    end
  end

  // Reference time; the upper half is held for the read that follows.
  logic [63:0] ticks_q;
  logic [31:0] ticks_hi_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ticks_q <= '0;
      ticks_hi_q <= '0;
    end else begin
      ticks_q <= ticks_q + 64'd1;
      if (reg2hw.ticks_lo.read_pulse) ticks_hi_q <= ticks_q[63:32];
    end
  end

  // The first host error since the flags were clear.
  logic error_now, error_before;
  logic [HostAddrWidth-1:0] error_addr_q;
  logic error_write_q;
  assign error_now = event_i.timeout || event_i.unmapped || event_i.refused;
  assign error_before = reg2hw.host_errors.timeout || reg2hw.host_errors.unmapped || reg2hw.host_errors.refused;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      error_addr_q <= '0;
      error_write_q <= 1'b0;
    end else if (error_now && !error_before) begin
      error_addr_q <= event_i.addr;
      error_write_q <= event_i.write;
    end
  end

  always_comb begin
    hw2reg = '0;
    hw2reg.build.rails = 4'(NumRails);
    hw2reg.build.zones = 4'(NumZones);
    hw2reg.build.lanes = 4'(NumLanes);
    hw2reg.build.lane_width = 6'(LaneWidth);
    hw2reg.build.sram_log2 = 6'(SramAddrWidth);
    hw2reg.build.axi_log2 = 4'($clog2(AxiStrbWidth));
    hw2reg.straps.sampled = straps_q;
    hw2reg.straps.valid = straps_valid_q;
    hw2reg.ticks_lo.value = ticks_q[31:0];
    hw2reg.ticks_hi.value = ticks_hi_q;
    hw2reg.irq_status.power = power_irq_i;
    hw2reg.irq_status.thermal = thermal_irq_i;
    hw2reg.irq_status.sram = sram_irq_i;
    hw2reg.irq_status.dma0 = dma0_irq_i;
    hw2reg.irq_status.dma1 = dma1_irq_i;
    hw2reg.irq_status.link = link_irq_i;
    hw2reg.irq_status.tensor = tensor_irq_i;
    hw2reg.irq_status.hbm = hbm_irq_i;
    hw2reg.irq_status.mesh = mesh_irq_i;
    hw2reg.irq_status.host = reg2hw.host_errors.timeout;
    hw2reg.host_errors.timeout = event_i.timeout;
    hw2reg.host_errors.unmapped = event_i.unmapped;
    hw2reg.host_errors.refused = event_i.refused;
    hw2reg.clocks.sram = sram_clock_i;
    hw2reg.clocks.dma0 = dma0_clock_i;
    hw2reg.clocks.dma1 = dma1_clock_i;
    hw2reg.clocks.tensor = tensor_clock_i;
    hw2reg.clocks.hbm = hbm_clock_i;
    hw2reg.clocks.mesh = mesh_clock_i;
    hw2reg.host_error_addr.addr = error_addr_q;
    hw2reg.host_error_addr.write = error_write_q;
  end

  logic irq_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) irq_q <= 1'b0;
    else irq_q <= |(hw2reg.irq_status & reg2hw.irq_mask);
  end
  assign irq_o = irq_q;
  assign timeout_cycles_o = reg2hw.host_timeout.cycles;

  logic unused_reg2hw;
  assign unused_reg2hw = ^reg2hw;

endmodule
