// Routes an access that crossed into the core domain to its block.
module core_demux
  import tern_pkg::*;
  import host_pkg::*;
(
    input  logic         valid_i,
    input  core_access_t access_i,
    output logic         ready_o,
    output core_answer_t answer_o,

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
    input  reg_rsp_t win_rsp_i
);

  logic [RegAddrWidth-1:0] addr;
  assign addr = access_i.addr[RegAddrWidth-1:0];

  assign sram_req_o = '{valid_i && access_i.target == CoreSram, access_i.write, addr, access_i.wdata, access_i.strb};
  assign dma0_req_o = '{valid_i && access_i.target == CoreDma0, access_i.write, addr, access_i.wdata, access_i.strb};
  assign dma1_req_o = '{valid_i && access_i.target == CoreDma1, access_i.write, addr, access_i.wdata, access_i.strb};
  assign link_req_o = '{valid_i && access_i.target == CoreLink, access_i.write, addr, access_i.wdata, access_i.strb};
  assign tensor_req_o = '{valid_i && access_i.target == CoreTensor, access_i.write, addr, access_i.wdata, access_i.strb};
  assign hbm_req_o = '{valid_i && access_i.target == CoreHbm, access_i.write, addr, access_i.wdata, access_i.strb};
  assign mesh_req_o = '{valid_i && access_i.target == CoreMesh, access_i.write, addr, access_i.wdata, access_i.strb};
  assign win_req_o = '{valid_i && access_i.target == CoreWindow, access_i.write, access_i.addr, access_i.wdata, access_i.strb};

  reg_rsp_t rsp;
  always_comb begin
    case (access_i.target)
      CoreSram: rsp = sram_rsp_i;
      CoreDma0: rsp = dma0_rsp_i;
      CoreDma1: rsp = dma1_rsp_i;
      CoreLink: rsp = link_rsp_i;
      CoreTensor: rsp = tensor_rsp_i;
      CoreHbm: rsp = hbm_rsp_i;
      CoreMesh: rsp = mesh_rsp_i;
      default: rsp = win_rsp_i;
    endcase
  end

  assign ready_o = rsp.ready;
  assign answer_o = '{error: rsp.error, rdata: rsp.rdata};

endmodule
