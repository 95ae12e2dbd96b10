// The AXI fabric with flat ports for its testbench: two managers in, three subordinates out.
module fabric_bench_top (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        dma_aw_valid,
    output logic        dma_aw_ready,
    input  logic [3:0]  dma_aw_id,
    input  logic [39:0] dma_aw_addr,
    input  logic [7:0]  dma_aw_len,
    input  logic        dma_w_valid,
    output logic        dma_w_ready,
    input  logic [63:0] dma_w_data,
    input  logic [7:0]  dma_w_strb,
    input  logic        dma_w_last,
    output logic        dma_b_valid,
    input  logic        dma_b_ready,
    output logic [3:0]  dma_b_id,
    output logic [1:0]  dma_b_resp,
    input  logic        dma_ar_valid,
    output logic        dma_ar_ready,
    input  logic [3:0]  dma_ar_id,
    input  logic [39:0] dma_ar_addr,
    input  logic [7:0]  dma_ar_len,
    output logic        dma_r_valid,
    input  logic        dma_r_ready,
    output logic [3:0]  dma_r_id,
    output logic [63:0] dma_r_data,
    output logic [1:0]  dma_r_resp,
    output logic        dma_r_last,
    input  logic        peer_in_aw_valid,
    output logic        peer_in_aw_ready,
    input  logic [3:0]  peer_in_aw_id,
    input  logic [39:0] peer_in_aw_addr,
    input  logic [7:0]  peer_in_aw_len,
    input  logic        peer_in_w_valid,
    output logic        peer_in_w_ready,
    input  logic [63:0] peer_in_w_data,
    input  logic [7:0]  peer_in_w_strb,
    input  logic        peer_in_w_last,
    output logic        peer_in_b_valid,
    input  logic        peer_in_b_ready,
    output logic [3:0]  peer_in_b_id,
    output logic [1:0]  peer_in_b_resp,
    input  logic        peer_in_ar_valid,
    output logic        peer_in_ar_ready,
    input  logic [3:0]  peer_in_ar_id,
    input  logic [39:0] peer_in_ar_addr,
    input  logic [7:0]  peer_in_ar_len,
    output logic        peer_in_r_valid,
    input  logic        peer_in_r_ready,
    output logic [3:0]  peer_in_r_id,
    output logic [63:0] peer_in_r_data,
    output logic [1:0]  peer_in_r_resp,
    output logic        peer_in_r_last,
    output logic        sram_aw_valid,
    input  logic        sram_aw_ready,
    output logic [3:0]  sram_aw_id,
    output logic [39:0] sram_aw_addr,
    output logic [7:0]  sram_aw_len,
    output logic        sram_w_valid,
    input  logic        sram_w_ready,
    output logic [63:0] sram_w_data,
    output logic [7:0]  sram_w_strb,
    output logic        sram_w_last,
    input  logic        sram_b_valid,
    output logic        sram_b_ready,
    input  logic [3:0]  sram_b_id,
    input  logic [1:0]  sram_b_resp,
    output logic        sram_ar_valid,
    input  logic        sram_ar_ready,
    output logic [3:0]  sram_ar_id,
    output logic [39:0] sram_ar_addr,
    output logic [7:0]  sram_ar_len,
    input  logic        sram_r_valid,
    output logic        sram_r_ready,
    input  logic [3:0]  sram_r_id,
    input  logic [63:0] sram_r_data,
    input  logic [1:0]  sram_r_resp,
    input  logic        sram_r_last,
    output logic        mem_aw_valid,
    input  logic        mem_aw_ready,
    output logic [3:0]  mem_aw_id,
    output logic [39:0] mem_aw_addr,
    output logic [7:0]  mem_aw_len,
    output logic        mem_w_valid,
    input  logic        mem_w_ready,
    output logic [63:0] mem_w_data,
    output logic [7:0]  mem_w_strb,
    output logic        mem_w_last,
    input  logic        mem_b_valid,
    output logic        mem_b_ready,
    input  logic [3:0]  mem_b_id,
    input  logic [1:0]  mem_b_resp,
    output logic        mem_ar_valid,
    input  logic        mem_ar_ready,
    output logic [3:0]  mem_ar_id,
    output logic [39:0] mem_ar_addr,
    output logic [7:0]  mem_ar_len,
    input  logic        mem_r_valid,
    output logic        mem_r_ready,
    input  logic [3:0]  mem_r_id,
    input  logic [63:0] mem_r_data,
    input  logic [1:0]  mem_r_resp,
    input  logic        mem_r_last,
    output logic        peer_aw_valid,
    input  logic        peer_aw_ready,
    output logic [3:0]  peer_aw_id,
    output logic [39:0] peer_aw_addr,
    output logic [7:0]  peer_aw_len,
    output logic        peer_w_valid,
    input  logic        peer_w_ready,
    output logic [63:0] peer_w_data,
    output logic [7:0]  peer_w_strb,
    output logic        peer_w_last,
    input  logic        peer_b_valid,
    output logic        peer_b_ready,
    input  logic [3:0]  peer_b_id,
    input  logic [1:0]  peer_b_resp,
    output logic        peer_ar_valid,
    input  logic        peer_ar_ready,
    output logic [3:0]  peer_ar_id,
    output logic [39:0] peer_ar_addr,
    output logic [7:0]  peer_ar_len,
    input  logic        peer_r_valid,
    output logic        peer_r_ready,
    input  logic [3:0]  peer_r_id,
    input  logic [63:0] peer_r_data,
    input  logic [1:0]  peer_r_resp,
    input  logic        peer_r_last
);
  import tern_pkg::*;

  axi_req_t dma_req;
  axi_rsp_t dma_rsp;
  always_comb begin
    dma_req.aw_valid = dma_aw_valid;
    dma_req.aw       = '{id: dma_aw_id, addr: dma_aw_addr, len: dma_aw_len};
    dma_req.w_valid  = dma_w_valid;
    dma_req.w        = '{data: dma_w_data, strb: dma_w_strb, last: dma_w_last};
    dma_req.b_ready  = dma_b_ready;
    dma_req.ar_valid = dma_ar_valid;
    dma_req.ar       = '{id: dma_ar_id, addr: dma_ar_addr, len: dma_ar_len};
    dma_req.r_ready  = dma_r_ready;
  end
  assign dma_aw_ready = dma_rsp.aw_ready;
  assign dma_w_ready = dma_rsp.w_ready;
  assign dma_b_valid = dma_rsp.b_valid;
  assign dma_b_id = dma_rsp.b.id;
  assign dma_b_resp = dma_rsp.b.resp;
  assign dma_ar_ready = dma_rsp.ar_ready;
  assign dma_r_valid = dma_rsp.r_valid;
  assign dma_r_id = dma_rsp.r.id;
  assign dma_r_data = dma_rsp.r.data;
  assign dma_r_resp = dma_rsp.r.resp;
  assign dma_r_last = dma_rsp.r.last;
  axi_req_t peer_in_req;
  axi_rsp_t peer_in_rsp;
  always_comb begin
    peer_in_req.aw_valid = peer_in_aw_valid;
    peer_in_req.aw       = '{id: peer_in_aw_id, addr: peer_in_aw_addr, len: peer_in_aw_len};
    peer_in_req.w_valid  = peer_in_w_valid;
    peer_in_req.w        = '{data: peer_in_w_data, strb: peer_in_w_strb, last: peer_in_w_last};
    peer_in_req.b_ready  = peer_in_b_ready;
    peer_in_req.ar_valid = peer_in_ar_valid;
    peer_in_req.ar       = '{id: peer_in_ar_id, addr: peer_in_ar_addr, len: peer_in_ar_len};
    peer_in_req.r_ready  = peer_in_r_ready;
  end
  assign peer_in_aw_ready = peer_in_rsp.aw_ready;
  assign peer_in_w_ready = peer_in_rsp.w_ready;
  assign peer_in_b_valid = peer_in_rsp.b_valid;
  assign peer_in_b_id = peer_in_rsp.b.id;
  assign peer_in_b_resp = peer_in_rsp.b.resp;
  assign peer_in_ar_ready = peer_in_rsp.ar_ready;
  assign peer_in_r_valid = peer_in_rsp.r_valid;
  assign peer_in_r_id = peer_in_rsp.r.id;
  assign peer_in_r_data = peer_in_rsp.r.data;
  assign peer_in_r_resp = peer_in_rsp.r.resp;
  assign peer_in_r_last = peer_in_rsp.r.last;
  axi_req_t sram_req;
  axi_rsp_t sram_rsp;
  assign sram_aw_valid = sram_req.aw_valid;
  assign {sram_aw_id, sram_aw_addr, sram_aw_len} = sram_req.aw;
  assign sram_w_valid = sram_req.w_valid;
  assign {sram_w_data, sram_w_strb, sram_w_last} = sram_req.w;
  assign sram_b_ready = sram_req.b_ready;
  assign sram_ar_valid = sram_req.ar_valid;
  assign {sram_ar_id, sram_ar_addr, sram_ar_len} = sram_req.ar;
  assign sram_r_ready = sram_req.r_ready;
  always_comb begin
    sram_rsp.aw_ready = sram_aw_ready;
    sram_rsp.w_ready  = sram_w_ready;
    sram_rsp.b_valid  = sram_b_valid;
    sram_rsp.b        = '{id: sram_b_id, resp: axi_resp_e'(sram_b_resp)};
    sram_rsp.ar_ready = sram_ar_ready;
    sram_rsp.r_valid  = sram_r_valid;
    sram_rsp.r        = '{id: sram_r_id, data: sram_r_data, resp: axi_resp_e'(sram_r_resp), last: sram_r_last};
  end
  axi_req_t mem_req;
  axi_rsp_t mem_rsp;
  assign mem_aw_valid = mem_req.aw_valid;
  assign {mem_aw_id, mem_aw_addr, mem_aw_len} = mem_req.aw;
  assign mem_w_valid = mem_req.w_valid;
  assign {mem_w_data, mem_w_strb, mem_w_last} = mem_req.w;
  assign mem_b_ready = mem_req.b_ready;
  assign mem_ar_valid = mem_req.ar_valid;
  assign {mem_ar_id, mem_ar_addr, mem_ar_len} = mem_req.ar;
  assign mem_r_ready = mem_req.r_ready;
  always_comb begin
    mem_rsp.aw_ready = mem_aw_ready;
    mem_rsp.w_ready  = mem_w_ready;
    mem_rsp.b_valid  = mem_b_valid;
    mem_rsp.b        = '{id: mem_b_id, resp: axi_resp_e'(mem_b_resp)};
    mem_rsp.ar_ready = mem_ar_ready;
    mem_rsp.r_valid  = mem_r_valid;
    mem_rsp.r        = '{id: mem_r_id, data: mem_r_data, resp: axi_resp_e'(mem_r_resp), last: mem_r_last};
  end
  axi_req_t peer_req;
  axi_rsp_t peer_rsp;
  assign peer_aw_valid = peer_req.aw_valid;
  assign {peer_aw_id, peer_aw_addr, peer_aw_len} = peer_req.aw;
  assign peer_w_valid = peer_req.w_valid;
  assign {peer_w_data, peer_w_strb, peer_w_last} = peer_req.w;
  assign peer_b_ready = peer_req.b_ready;
  assign peer_ar_valid = peer_req.ar_valid;
  assign {peer_ar_id, peer_ar_addr, peer_ar_len} = peer_req.ar;
  assign peer_r_ready = peer_req.r_ready;
  always_comb begin
    peer_rsp.aw_ready = peer_aw_ready;
    peer_rsp.w_ready  = peer_w_ready;
    peer_rsp.b_valid  = peer_b_valid;
    peer_rsp.b        = '{id: peer_b_id, resp: axi_resp_e'(peer_b_resp)};
    peer_rsp.ar_ready = peer_ar_ready;
    peer_rsp.r_valid  = peer_r_valid;
    peer_rsp.r        = '{id: peer_r_id, data: peer_r_data, resp: axi_resp_e'(peer_r_resp), last: peer_r_last};
  end

  axi_fabric u_axi_fabric (
      .clk_i, .rst_ni, .dma_req_i(dma_req), .dma_rsp_o(dma_rsp), .peer_in_req_i(peer_in_req),
      .peer_in_rsp_o(peer_in_rsp), .sram_req_o(sram_req), .sram_rsp_i(sram_rsp), .mem_req_o(mem_req),
      .mem_rsp_i(mem_rsp), .peer_req_o(peer_req), .peer_rsp_i(peer_rsp));
endmodule
