// The far end of the link for the board: a second link with an SRAM behind it, both with their register ports, all ports flat.
module tern_peer
  import tern_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    // Register ports: valid is held until ready; rdata and error count with ready.
    input  logic        link_reg_valid_i,
    input  logic        link_reg_write_i,
    input  logic [11:0] link_reg_addr_i,
    input  logic [31:0] link_reg_wdata_i,
    input  logic [3:0]  link_reg_strb_i,
    output logic        link_reg_ready_o,
    output logic        link_reg_error_o,
    output logic [31:0] link_reg_rdata_o,

    input  logic        sram_reg_valid_i,
    input  logic        sram_reg_write_i,
    input  logic [11:0] sram_reg_addr_i,
    input  logic [31:0] sram_reg_wdata_i,
    input  logic [3:0]  sram_reg_strb_i,
    output logic        sram_reg_ready_o,
    output logic        sram_reg_error_o,
    output logic [31:0] sram_reg_rdata_o,

    // The SRAM's data, 32 bits at a time.
    input  logic        sram_win_valid_i,
    input  logic        sram_win_write_i,
    input  logic [15:0] sram_win_addr_i,
    input  logic [31:0] sram_win_wdata_i,
    input  logic [3:0]  sram_win_strb_i,
    output logic        sram_win_ready_o,
    output logic        sram_win_error_o,
    output logic [31:0] sram_win_rdata_o,

    output logic [63:0] link_tx_data_o,
    output logic [3:0]  link_tx_idle_o,
    input  logic [63:0] link_rx_data_i,
    input  logic [3:0]  link_rx_idle_i,

    // The error sampler of the link's eye scan, as link.sv has it.
    output logic        link_eye_run_o,
    output logic [1:0]  link_eye_lane_o,
    output logic [5:0]  link_eye_phase_o,
    output logic [6:0]  link_eye_offset_o,
    input  logic [15:0] link_eye_data_i,

    output logic irq_o
);

  reg_req_t link_reg_req, sram_reg_req;
  reg_rsp_t link_reg_rsp, sram_reg_rsp, sram_win_rsp;
  win_req_t sram_win_req;
  axi_req_t inbound_req, outbound_req;
  axi_rsp_t inbound_rsp, outbound_rsp;
  logic link_irq, sram_irq;
  logic [3:0] link_activity, sram_activity;
  logic sram_clock;

  assign link_reg_req = {link_reg_valid_i, link_reg_write_i, link_reg_addr_i, link_reg_wdata_i, link_reg_strb_i};
  assign {link_reg_ready_o, link_reg_error_o, link_reg_rdata_o} = link_reg_rsp;
  assign sram_reg_req = {sram_reg_valid_i, sram_reg_write_i, sram_reg_addr_i, sram_reg_wdata_i, sram_reg_strb_i};
  assign {sram_reg_ready_o, sram_reg_error_o, sram_reg_rdata_o} = sram_reg_rsp;
  assign sram_win_req = {sram_win_valid_i, sram_win_write_i, sram_win_addr_i, sram_win_wdata_i, sram_win_strb_i};
  assign {sram_win_ready_o, sram_win_error_o, sram_win_rdata_o} = sram_win_rsp;

  // The peer asks nothing of Tern of its own accord.
  assign outbound_req = '0;
  // It has no mesh: what comes for one goes nowhere.
  logic [1:0] mesh_ready, mesh_valid;
  logic [1:0][63:0] mesh_data;

  link u_link (
      .clk_i,
      .rst_ni,
      .reg_req_i(link_reg_req),
      .reg_rsp_o(link_reg_rsp),
      .axi_req_i(outbound_req),
      .axi_rsp_o(outbound_rsp),
      .axi_req_o(inbound_req),
      .axi_rsp_i(inbound_rsp),
      .mesh_flit_i('0),
      .mesh_ready_o(mesh_ready),
      .mesh_valid_o(mesh_valid),
      .mesh_data_o(mesh_data),
      .mesh_pop_i(mesh_valid),
      .tx_data_o(link_tx_data_o),
      .tx_idle_o(link_tx_idle_o),
      .rx_data_i(link_rx_data_i),
      .rx_idle_i(link_rx_idle_i),
      .eye_run_o(link_eye_run_o),
      .eye_lane_o(link_eye_lane_o),
      .eye_phase_o(link_eye_phase_o),
      .eye_offset_o(link_eye_offset_o),
      .eye_data_i(link_eye_data_i),
      .irq_o(link_irq),
      .activity_o(link_activity)
  );

  sram u_sram (
      .clk_i,
      .rst_ni,
      .reg_req_i(sram_reg_req),
      .reg_rsp_o(sram_reg_rsp),
      .win_req_i(sram_win_req),
      .win_rsp_o(sram_win_rsp),
      .axi_req_i(inbound_req),
      .axi_rsp_o(inbound_rsp),
      .irq_o(sram_irq),
      .activity_o(sram_activity),
      .clock_on_o(sram_clock)
  );

  assign irq_o = link_irq || sram_irq;

  logic unused;
  assign unused = ^{outbound_rsp, mesh_ready, mesh_data, link_activity, sram_activity, sram_clock};

endmodule
