// The host port: AXI4-Lite in the reference domain, register buses out in both domains.
module host_port
  import tern_pkg::*;
  import host_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    input logic clk_core_i,
    input logic rst_core_ni,

    input  logic                     awvalid_i,
    output logic                     awready_o,
    input  logic [HostAddrWidth-1:0] awaddr_i,
    input  logic                     wvalid_i,
    output logic                     wready_o,
    input  logic [31:0]              wdata_i,
    input  logic [3:0]               wstrb_i,
    output logic                     bvalid_o,
    input  logic                     bready_i,
    output logic [1:0]               bresp_o,
    input  logic                     arvalid_i,
    output logic                     arready_o,
    input  logic [HostAddrWidth-1:0] araddr_i,
    output logic                     rvalid_o,
    input  logic                     rready_i,
    output logic [31:0]              rdata_o,
    output logic [1:0]               rresp_o,

    // Reference domain.
    output reg_req_t chip_req_o,
    input  reg_rsp_t chip_rsp_i,
    output reg_req_t power_req_o,
    input  reg_rsp_t power_rsp_i,
    output reg_req_t thermal_req_o,
    input  reg_rsp_t thermal_rsp_i,

    // Core domain.
    output reg_req_t sram_req_o,
    input  reg_rsp_t sram_rsp_i,
    output reg_req_t dma0_req_o,
    input  reg_rsp_t dma0_rsp_i,
    output reg_req_t dma1_req_o,
    input  reg_rsp_t dma1_rsp_i,
    output reg_req_t link_req_o,
    input  reg_rsp_t link_rsp_i,
    output reg_req_t tensor_req_o,
    input  reg_rsp_t tensor_rsp_i,
    output reg_req_t hbm_req_o,
    input  reg_rsp_t hbm_rsp_i,
    output reg_req_t mesh_req_o,
    input  reg_rsp_t mesh_rsp_i,
    output win_req_t win_req_o,
    input  reg_rsp_t win_rsp_i,

    input  logic [15:0] timeout_cycles_i,
    output host_event_t event_o
);

  host_req_t req;
  host_rsp_t rsp;
  axil_subordinate i_axil (
      .clk_i,
      .rst_ni,
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
      .req_o(req),
      .rsp_i(rsp)
  );

  logic core_valid, core_ready, core_timeout;
  core_access_t core_access;
  core_answer_t core_answer;
  host_demux i_demux (
      .req_i(req),
      .rsp_o(rsp),
      .chip_req_o,
      .chip_rsp_i,
      .power_req_o,
      .power_rsp_i,
      .thermal_req_o,
      .thermal_rsp_i,
      .core_valid_o(core_valid),
      .core_access_o(core_access),
      .core_ready_i(core_ready),
      .core_timeout_i(core_timeout),
      .core_answer_i(core_answer),
      .event_o
  );

  logic run_valid, run_ready;
  core_access_t run_access;
  core_answer_t run_answer;
  core_bridge i_bridge (
      .clk_i,
      .rst_ni,
      .timeout_cycles_i,
      .valid_i(core_valid),
      .access_i(core_access),
      .ready_o(core_ready),
      .timeout_o(core_timeout),
      .answer_o(core_answer),
      .clk_core_i,
      .rst_core_ni,
      .run_valid_o(run_valid),
      .run_access_o(run_access),
      .run_ready_i(run_ready),
      .run_answer_i(run_answer)
  );

  core_demux i_core_demux (
      .valid_i(run_valid),
      .access_i(run_access),
      .ready_o(run_ready),
      .answer_o(run_answer),
      .sram_req_o,
      .sram_rsp_i,
      .dma0_req_o,
      .dma0_rsp_i,
      .dma1_req_o,
      .dma1_rsp_i,
      .link_req_o,
      .link_rsp_i,
      .tensor_req_o,
      .tensor_rsp_i,
      .hbm_req_o,
      .hbm_rsp_i,
      .mesh_req_o,
      .mesh_rsp_i,
      .win_req_o,
      .win_rsp_i
  );

endmodule
