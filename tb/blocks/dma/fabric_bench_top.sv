// The AXI fabric with flat ports for its testbench: five managers in, five subordinates out.
module fabric_bench_top (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        dma0_aw_valid,
    output logic        dma0_aw_ready,
    input  logic [3:0]  dma0_aw_id,
    input  logic [39:0] dma0_aw_addr,
    input  logic [7:0]  dma0_aw_len,
    input  logic        dma0_w_valid,
    output logic        dma0_w_ready,
    input  logic [63:0] dma0_w_data,
    input  logic [7:0]  dma0_w_strb,
    input  logic        dma0_w_last,
    output logic        dma0_b_valid,
    input  logic        dma0_b_ready,
    output logic [3:0]  dma0_b_id,
    output logic [1:0]  dma0_b_resp,
    input  logic        dma0_ar_valid,
    output logic        dma0_ar_ready,
    input  logic [3:0]  dma0_ar_id,
    input  logic [39:0] dma0_ar_addr,
    input  logic [7:0]  dma0_ar_len,
    output logic        dma0_r_valid,
    input  logic        dma0_r_ready,
    output logic [3:0]  dma0_r_id,
    output logic [63:0] dma0_r_data,
    output logic [1:0]  dma0_r_resp,
    output logic        dma0_r_last,
    input  logic        dma1_aw_valid,
    output logic        dma1_aw_ready,
    input  logic [3:0]  dma1_aw_id,
    input  logic [39:0] dma1_aw_addr,
    input  logic [7:0]  dma1_aw_len,
    input  logic        dma1_w_valid,
    output logic        dma1_w_ready,
    input  logic [63:0] dma1_w_data,
    input  logic [7:0]  dma1_w_strb,
    input  logic        dma1_w_last,
    output logic        dma1_b_valid,
    input  logic        dma1_b_ready,
    output logic [3:0]  dma1_b_id,
    output logic [1:0]  dma1_b_resp,
    input  logic        dma1_ar_valid,
    output logic        dma1_ar_ready,
    input  logic [3:0]  dma1_ar_id,
    input  logic [39:0] dma1_ar_addr,
    input  logic [7:0]  dma1_ar_len,
    output logic        dma1_r_valid,
    input  logic        dma1_r_ready,
    output logic [3:0]  dma1_r_id,
    output logic [63:0] dma1_r_data,
    output logic [1:0]  dma1_r_resp,
    output logic        dma1_r_last,
    input  logic        fetch_aw_valid,
    output logic        fetch_aw_ready,
    input  logic [3:0]  fetch_aw_id,
    input  logic [39:0] fetch_aw_addr,
    input  logic [7:0]  fetch_aw_len,
    input  logic        fetch_w_valid,
    output logic        fetch_w_ready,
    input  logic [63:0] fetch_w_data,
    input  logic [7:0]  fetch_w_strb,
    input  logic        fetch_w_last,
    output logic        fetch_b_valid,
    input  logic        fetch_b_ready,
    output logic [3:0]  fetch_b_id,
    output logic [1:0]  fetch_b_resp,
    input  logic        fetch_ar_valid,
    output logic        fetch_ar_ready,
    input  logic [3:0]  fetch_ar_id,
    input  logic [39:0] fetch_ar_addr,
    input  logic [7:0]  fetch_ar_len,
    output logic        fetch_r_valid,
    input  logic        fetch_r_ready,
    output logic [3:0]  fetch_r_id,
    output logic [63:0] fetch_r_data,
    output logic [1:0]  fetch_r_resp,
    output logic        fetch_r_last,
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
    input  logic        mesh_in_aw_valid,
    output logic        mesh_in_aw_ready,
    input  logic [3:0]  mesh_in_aw_id,
    input  logic [39:0] mesh_in_aw_addr,
    input  logic [7:0]  mesh_in_aw_len,
    input  logic        mesh_in_w_valid,
    output logic        mesh_in_w_ready,
    input  logic [63:0] mesh_in_w_data,
    input  logic [7:0]  mesh_in_w_strb,
    input  logic        mesh_in_w_last,
    output logic        mesh_in_b_valid,
    input  logic        mesh_in_b_ready,
    output logic [3:0]  mesh_in_b_id,
    output logic [1:0]  mesh_in_b_resp,
    input  logic        mesh_in_ar_valid,
    output logic        mesh_in_ar_ready,
    input  logic [3:0]  mesh_in_ar_id,
    input  logic [39:0] mesh_in_ar_addr,
    input  logic [7:0]  mesh_in_ar_len,
    output logic        mesh_in_r_valid,
    input  logic        mesh_in_r_ready,
    output logic [3:0]  mesh_in_r_id,
    output logic [63:0] mesh_in_r_data,
    output logic [1:0]  mesh_in_r_resp,
    output logic        mesh_in_r_last,
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
    output logic        scratchpad_aw_valid,
    input  logic        scratchpad_aw_ready,
    output logic [3:0]  scratchpad_aw_id,
    output logic [39:0] scratchpad_aw_addr,
    output logic [7:0]  scratchpad_aw_len,
    output logic        scratchpad_w_valid,
    input  logic        scratchpad_w_ready,
    output logic [63:0] scratchpad_w_data,
    output logic [7:0]  scratchpad_w_strb,
    output logic        scratchpad_w_last,
    input  logic        scratchpad_b_valid,
    output logic        scratchpad_b_ready,
    input  logic [3:0]  scratchpad_b_id,
    input  logic [1:0]  scratchpad_b_resp,
    output logic        scratchpad_ar_valid,
    input  logic        scratchpad_ar_ready,
    output logic [3:0]  scratchpad_ar_id,
    output logic [39:0] scratchpad_ar_addr,
    output logic [7:0]  scratchpad_ar_len,
    input  logic        scratchpad_r_valid,
    output logic        scratchpad_r_ready,
    input  logic [3:0]  scratchpad_r_id,
    input  logic [63:0] scratchpad_r_data,
    input  logic [1:0]  scratchpad_r_resp,
    input  logic        scratchpad_r_last,
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
    input  logic        peer_r_last,
    output logic        mesh_aw_valid,
    input  logic        mesh_aw_ready,
    output logic [3:0]  mesh_aw_id,
    output logic [39:0] mesh_aw_addr,
    output logic [7:0]  mesh_aw_len,
    output logic        mesh_w_valid,
    input  logic        mesh_w_ready,
    output logic [63:0] mesh_w_data,
    output logic [7:0]  mesh_w_strb,
    output logic        mesh_w_last,
    input  logic        mesh_b_valid,
    output logic        mesh_b_ready,
    input  logic [3:0]  mesh_b_id,
    input  logic [1:0]  mesh_b_resp,
    output logic        mesh_ar_valid,
    input  logic        mesh_ar_ready,
    output logic [3:0]  mesh_ar_id,
    output logic [39:0] mesh_ar_addr,
    output logic [7:0]  mesh_ar_len,
    input  logic        mesh_r_valid,
    output logic        mesh_r_ready,
    input  logic [3:0]  mesh_r_id,
    input  logic [63:0] mesh_r_data,
    input  logic [1:0]  mesh_r_resp,
    input  logic        mesh_r_last
);
  import tern_pkg::*;

  axi_req_t dma0_req;
  axi_rsp_t dma0_rsp;
  always_comb begin
    dma0_req.aw_valid = dma0_aw_valid;
    dma0_req.aw       = '{id: dma0_aw_id, addr: dma0_aw_addr, len: dma0_aw_len};
    dma0_req.w_valid  = dma0_w_valid;
    dma0_req.w        = '{data: dma0_w_data, strb: dma0_w_strb, last: dma0_w_last};
    dma0_req.b_ready  = dma0_b_ready;
    dma0_req.ar_valid = dma0_ar_valid;
    dma0_req.ar       = '{id: dma0_ar_id, addr: dma0_ar_addr, len: dma0_ar_len};
    dma0_req.r_ready  = dma0_r_ready;
  end
  assign {dma0_aw_ready, dma0_w_ready, dma0_b_valid, dma0_b_id, dma0_b_resp, dma0_ar_ready, dma0_r_valid, dma0_r_id, dma0_r_data, dma0_r_resp,
          dma0_r_last} = dma0_rsp;
  axi_req_t dma1_req;
  axi_rsp_t dma1_rsp;
  always_comb begin
    dma1_req.aw_valid = dma1_aw_valid;
    dma1_req.aw       = '{id: dma1_aw_id, addr: dma1_aw_addr, len: dma1_aw_len};
    dma1_req.w_valid  = dma1_w_valid;
    dma1_req.w        = '{data: dma1_w_data, strb: dma1_w_strb, last: dma1_w_last};
    dma1_req.b_ready  = dma1_b_ready;
    dma1_req.ar_valid = dma1_ar_valid;
    dma1_req.ar       = '{id: dma1_ar_id, addr: dma1_ar_addr, len: dma1_ar_len};
    dma1_req.r_ready  = dma1_r_ready;
  end
  assign {dma1_aw_ready, dma1_w_ready, dma1_b_valid, dma1_b_id, dma1_b_resp, dma1_ar_ready, dma1_r_valid, dma1_r_id, dma1_r_data, dma1_r_resp,
          dma1_r_last} = dma1_rsp;
  axi_req_t fetch_req;
  axi_rsp_t fetch_rsp;
  always_comb begin
    fetch_req.aw_valid = fetch_aw_valid;
    fetch_req.aw       = '{id: fetch_aw_id, addr: fetch_aw_addr, len: fetch_aw_len};
    fetch_req.w_valid  = fetch_w_valid;
    fetch_req.w        = '{data: fetch_w_data, strb: fetch_w_strb, last: fetch_w_last};
    fetch_req.b_ready  = fetch_b_ready;
    fetch_req.ar_valid = fetch_ar_valid;
    fetch_req.ar       = '{id: fetch_ar_id, addr: fetch_ar_addr, len: fetch_ar_len};
    fetch_req.r_ready  = fetch_r_ready;
  end
  assign {fetch_aw_ready, fetch_w_ready, fetch_b_valid, fetch_b_id, fetch_b_resp, fetch_ar_ready, fetch_r_valid, fetch_r_id, fetch_r_data, fetch_r_resp,
          fetch_r_last} = fetch_rsp;
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
  assign {peer_in_aw_ready, peer_in_w_ready, peer_in_b_valid, peer_in_b_id, peer_in_b_resp, peer_in_ar_ready, peer_in_r_valid, peer_in_r_id, peer_in_r_data, peer_in_r_resp,
          peer_in_r_last} = peer_in_rsp;
  axi_req_t mesh_in_req;
  axi_rsp_t mesh_in_rsp;
  always_comb begin
    mesh_in_req.aw_valid = mesh_in_aw_valid;
    mesh_in_req.aw       = '{id: mesh_in_aw_id, addr: mesh_in_aw_addr, len: mesh_in_aw_len};
    mesh_in_req.w_valid  = mesh_in_w_valid;
    mesh_in_req.w        = '{data: mesh_in_w_data, strb: mesh_in_w_strb, last: mesh_in_w_last};
    mesh_in_req.b_ready  = mesh_in_b_ready;
    mesh_in_req.ar_valid = mesh_in_ar_valid;
    mesh_in_req.ar       = '{id: mesh_in_ar_id, addr: mesh_in_ar_addr, len: mesh_in_ar_len};
    mesh_in_req.r_ready  = mesh_in_r_ready;
  end
  assign {mesh_in_aw_ready, mesh_in_w_ready, mesh_in_b_valid, mesh_in_b_id, mesh_in_b_resp, mesh_in_ar_ready, mesh_in_r_valid, mesh_in_r_id, mesh_in_r_data, mesh_in_r_resp,
          mesh_in_r_last} = mesh_in_rsp;
  axi_req_t sram_req;
  axi_rsp_t sram_rsp;
  assign {sram_aw_valid, sram_aw_id, sram_aw_addr, sram_aw_len, sram_w_valid, sram_w_data, sram_w_strb, sram_w_last, sram_b_ready, sram_ar_valid,
          sram_ar_id, sram_ar_addr, sram_ar_len, sram_r_ready} = sram_req;
  always_comb begin
    sram_rsp.aw_ready = sram_aw_ready;
    sram_rsp.w_ready  = sram_w_ready;
    sram_rsp.b_valid  = sram_b_valid;
    sram_rsp.b        = '{id: sram_b_id, resp: axi_resp_e'(sram_b_resp)};
    sram_rsp.ar_ready = sram_ar_ready;
    sram_rsp.r_valid  = sram_r_valid;
    sram_rsp.r        = '{id: sram_r_id, data: sram_r_data, resp: axi_resp_e'(sram_r_resp), last: sram_r_last};
  end
  axi_req_t scratchpad_req;
  axi_rsp_t scratchpad_rsp;
  assign {scratchpad_aw_valid, scratchpad_aw_id, scratchpad_aw_addr, scratchpad_aw_len, scratchpad_w_valid, scratchpad_w_data, scratchpad_w_strb, scratchpad_w_last, scratchpad_b_ready, scratchpad_ar_valid,
          scratchpad_ar_id, scratchpad_ar_addr, scratchpad_ar_len, scratchpad_r_ready} = scratchpad_req;
  always_comb begin
    scratchpad_rsp.aw_ready = scratchpad_aw_ready;
    scratchpad_rsp.w_ready  = scratchpad_w_ready;
    scratchpad_rsp.b_valid  = scratchpad_b_valid;
    scratchpad_rsp.b        = '{id: scratchpad_b_id, resp: axi_resp_e'(scratchpad_b_resp)};
    scratchpad_rsp.ar_ready = scratchpad_ar_ready;
    scratchpad_rsp.r_valid  = scratchpad_r_valid;
    scratchpad_rsp.r        = '{id: scratchpad_r_id, data: scratchpad_r_data, resp: axi_resp_e'(scratchpad_r_resp), last: scratchpad_r_last};
  end
  axi_req_t mem_req;
  axi_rsp_t mem_rsp;
  assign {mem_aw_valid, mem_aw_id, mem_aw_addr, mem_aw_len, mem_w_valid, mem_w_data, mem_w_strb, mem_w_last, mem_b_ready, mem_ar_valid,
          mem_ar_id, mem_ar_addr, mem_ar_len, mem_r_ready} = mem_req;
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
  assign {peer_aw_valid, peer_aw_id, peer_aw_addr, peer_aw_len, peer_w_valid, peer_w_data, peer_w_strb, peer_w_last, peer_b_ready, peer_ar_valid,
          peer_ar_id, peer_ar_addr, peer_ar_len, peer_r_ready} = peer_req;
  always_comb begin
    peer_rsp.aw_ready = peer_aw_ready;
    peer_rsp.w_ready  = peer_w_ready;
    peer_rsp.b_valid  = peer_b_valid;
    peer_rsp.b        = '{id: peer_b_id, resp: axi_resp_e'(peer_b_resp)};
    peer_rsp.ar_ready = peer_ar_ready;
    peer_rsp.r_valid  = peer_r_valid;
    peer_rsp.r        = '{id: peer_r_id, data: peer_r_data, resp: axi_resp_e'(peer_r_resp), last: peer_r_last};
  end
  axi_req_t mesh_req;
  axi_rsp_t mesh_rsp;
  assign {mesh_aw_valid, mesh_aw_id, mesh_aw_addr, mesh_aw_len, mesh_w_valid, mesh_w_data, mesh_w_strb, mesh_w_last, mesh_b_ready, mesh_ar_valid,
          mesh_ar_id, mesh_ar_addr, mesh_ar_len, mesh_r_ready} = mesh_req;
  always_comb begin
    mesh_rsp.aw_ready = mesh_aw_ready;
    mesh_rsp.w_ready  = mesh_w_ready;
    mesh_rsp.b_valid  = mesh_b_valid;
    mesh_rsp.b        = '{id: mesh_b_id, resp: axi_resp_e'(mesh_b_resp)};
    mesh_rsp.ar_ready = mesh_ar_ready;
    mesh_rsp.r_valid  = mesh_r_valid;
    mesh_rsp.r        = '{id: mesh_r_id, data: mesh_r_data, resp: axi_resp_e'(mesh_r_resp), last: mesh_r_last};
  end

  axi_fabric u_axi_fabric (
      .clk_i, .rst_ni, .dma_req_i({dma1_req, dma0_req}), .dma_rsp_o({dma1_rsp, dma0_rsp}), .fetch_req_i(fetch_req),
      .fetch_rsp_o(fetch_rsp), .peer_in_req_i(peer_in_req), .peer_in_rsp_o(peer_in_rsp),
      .mesh_in_req_i(mesh_in_req), .mesh_in_rsp_o(mesh_in_rsp), .sram_req_o(sram_req),
      .sram_rsp_i(sram_rsp), .scratchpad_req_o(scratchpad_req), .scratchpad_rsp_i(scratchpad_rsp), .mem_req_o(mem_req),
      .mem_rsp_i(mem_rsp), .peer_req_o(peer_req), .peer_rsp_i(peer_rsp), .mesh_req_o(mesh_req), .mesh_rsp_i(mesh_rsp));
endmodule
