// The host port with the chip block, a probe in the place of every other block, and a RAM in the place of the SRAM window.
module regs_bench
  import tern_pkg::*;
  import host_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic clk_core_i,
    input logic rst_core_ni,

    input  logic        awvalid_i,
    output logic        awready_o,
    input  logic [23:0] awaddr_i,
    input  logic        wvalid_i,
    output logic        wready_o,
    input  logic [31:0] wdata_i,
    input  logic [ 3:0] wstrb_i,
    output logic        bvalid_o,
    input  logic        bready_i,
    output logic [ 1:0] bresp_o,
    input  logic        arvalid_i,
    output logic        arready_o,
    input  logic [23:0] araddr_i,
    output logic        rvalid_o,
    input  logic        rready_i,
    output logic [31:0] rdata_o,
    output logic [ 1:0] rresp_o,

    // Hardware's side of all probes: power, thermal, sram, dma0, link, tensor, dma1, hbm, mesh from the low bits up.
    input  logic [31:0] live_i,
    input  logic [ 7:0] set_i,
    input  logic        load_i,
    input  logic [15:0] load_value_i,
    output logic [ 7:0] pulses_o[9],
    output logic [ 7:0] argument_o[9],

    input  logic [7:0] straps_i,
    input  logic [8:0] irq_i,     // the same order
    input  logic [5:0] clocks_i,  // sram, dma0, dma1, tensor, hbm, mesh from bit 0
    output logic       irq_o
);

  reg_req_t chip_req;
  reg_rsp_t chip_rsp;
  reg_req_t [8:0] probe_req;
  reg_rsp_t [8:0] probe_rsp;
  reg_req_t power_req, thermal_req, sram_req, dma0_req, dma1_req, link_req, tensor_req, hbm_req, mesh_req;
  win_req_t win_req;
  reg_rsp_t win_rsp;
  logic [15:0] timeout_cycles;
  host_event_t host_event;

  host_port i_host_port (
      .clk_i,
      .rst_ni,
      .clk_core_i,
      .rst_core_ni,
      .awvalid_i,
      .awready_o,
      .awaddr_i,
      .wvalid_i,
      .wready_o,
      .wdata_i,
      .wstrb_i,
      .bvalid_o,
      .bready_i,
      .bresp_o,
      .arvalid_i,
      .arready_o,
      .araddr_i,
      .rvalid_o,
      .rready_i,
      .rdata_o,
      .rresp_o,
      .chip_req_o(chip_req),
      .chip_rsp_i(chip_rsp),
      .power_req_o(power_req),
      .power_rsp_i(probe_rsp[0]),
      .thermal_req_o(thermal_req),
      .thermal_rsp_i(probe_rsp[1]),
      .sram_req_o(sram_req),
      .sram_rsp_i(probe_rsp[2]),
      .dma0_req_o(dma0_req),
      .dma0_rsp_i(probe_rsp[3]),
      .dma1_req_o(dma1_req),
      .dma1_rsp_i(probe_rsp[6]),
      .link_req_o(link_req),
      .link_rsp_i(probe_rsp[4]),
      .tensor_req_o(tensor_req),
      .tensor_rsp_i(probe_rsp[5]),
      .hbm_req_o(hbm_req),
      .hbm_rsp_i(probe_rsp[7]),
      .mesh_req_o(mesh_req),
      .mesh_rsp_i(probe_rsp[8]),
      .win_req_o(win_req),
      .win_rsp_i(win_rsp),
      .timeout_cycles_i(timeout_cycles),
      .event_o(host_event)
  );
  assign probe_req = {mesh_req, hbm_req, dma1_req, tensor_req, link_req, dma0_req, sram_req, thermal_req, power_req};

  chip i_chip (
      .clk_i,
      .rst_ni,
      .reg_req_i(chip_req),
      .reg_rsp_o(chip_rsp),
      .straps_i,
      .power_irq_i(irq_i[0]),
      .thermal_irq_i(irq_i[1]),
      .sram_irq_i(irq_i[2]),
      .dma0_irq_i(irq_i[3]),
      .dma1_irq_i(irq_i[6]),
      .link_irq_i(irq_i[4]),
      .tensor_irq_i(irq_i[5]),
      .hbm_irq_i(irq_i[7]),
      .mesh_irq_i(irq_i[8]),
      .irq_o,
      .sram_clock_i(clocks_i[0]),
      .dma0_clock_i(clocks_i[1]),
      .dma1_clock_i(clocks_i[2]),
      .tensor_clock_i(clocks_i[3]),
      .hbm_clock_i(clocks_i[4]),
      .mesh_clock_i(clocks_i[5]),
      .event_i(host_event),
      .timeout_cycles_o(timeout_cycles)
  );

  for (genvar i = 0; i < 9; i++) begin : gen_probe
    logic clk, rst_n;
    assign clk = i < 2 ? clk_i : clk_core_i;
    assign rst_n = i < 2 ? rst_ni : rst_core_ni;
    probe i_probe (
        .clk_i(clk),
        .rst_ni(rst_n),
        .reg_req_i(probe_req[i]),
        .reg_rsp_o(probe_rsp[i]),
        .live_i,
        .set_i,
        .load_i,
        .load_value_i,
        .pulses_o(pulses_o[i]),
        .argument_o(argument_o[i])
    );
  end

  // A part of the window, from its four quarters.
  probe_ram #(
      .Words(2048)
  ) i_window (
      .clk_i(clk_core_i),
      .rst_ni(rst_core_ni),
      .valid_i(win_req.valid),
      .write_i(win_req.write),
      .word_i({win_req.addr[15:14], win_req.addr[10:2]}),
      .wdata_i(win_req.wdata),
      .strb_i(win_req.strb),
      .rsp_o(win_rsp)
  );

  logic unused_addr;
  assign unused_addr = ^{win_req.addr[13:11], win_req.addr[1:0]};

endmodule
