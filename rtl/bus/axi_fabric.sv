// The data bus of Tern: the DMA engine reaches SRAM, external memory and the neighbour; the neighbour reaches the SRAM.
// Every output is a function of registers only. Anything else answers DECERR.
module axi_fabric (
    input  logic               clk_i,
    input  logic               rst_ni,
    // Managers.
    input  tern_pkg::axi_req_t dma_req_i,
    output tern_pkg::axi_rsp_t dma_rsp_o,
    input  tern_pkg::axi_req_t peer_in_req_i,  // the neighbour's accesses; addresses as in our own map, SRAM only
    output tern_pkg::axi_rsp_t peer_in_rsp_o,
    // Subordinates.
    output tern_pkg::axi_req_t sram_req_o,
    input  tern_pkg::axi_rsp_t sram_rsp_i,
    output tern_pkg::axi_req_t mem_req_o,
    input  tern_pkg::axi_rsp_t mem_rsp_i,
    output tern_pkg::axi_req_t peer_req_o,     // addresses stay those of the peer window
    input  tern_pkg::axi_rsp_t peer_rsp_i
);
  import tern_pkg::*;
  import axi_route_pkg::*;

  axi_req_t [NumRoutes-1:0] dma_target_req, peer_target_req;
  axi_rsp_t [NumRoutes-1:0] dma_target_rsp, peer_target_rsp;
  axi_req_t [1:0] mux_req;
  axi_rsp_t [1:0] mux_rsp;
  axi_rsp_t dma_error_rsp, peer_error_rsp;

  axi_demux u_dma (
      .clk_i, .rst_ni, .req_i(dma_req_i), .rsp_o(dma_rsp_o), .target_req_o(dma_target_req),
      .target_rsp_i(dma_target_rsp));
  axi_demux #(.SramOnly(1'b1)) u_peer_in (
      .clk_i, .rst_ni, .req_i(peer_in_req_i), .rsp_o(peer_in_rsp_o), .target_req_o(peer_target_req),
      .target_rsp_i(peer_target_rsp));

  assign mux_req = {peer_target_req[RouteSram], dma_target_req[RouteSram]};
  axi_mux u_sram (
      .clk_i, .rst_ni, .req_i(mux_req), .rsp_o(mux_rsp), .target_req_o(sram_req_o), .target_rsp_i(sram_rsp_i));

  axi_error u_dma_error (.clk_i, .rst_ni, .req_i(dma_target_req[RouteNone]), .rsp_o(dma_error_rsp));
  axi_error u_peer_error (.clk_i, .rst_ni, .req_i(peer_target_req[RouteNone]), .rsp_o(peer_error_rsp));

  assign mem_req_o = dma_target_req[RouteMem];
  assign peer_req_o = dma_target_req[RoutePeer];
  assign dma_target_rsp = {dma_error_rsp, peer_rsp_i, mem_rsp_i, mux_rsp[0]};
  assign peer_target_rsp = {peer_error_rsp, axi_rsp_t'('0), axi_rsp_t'('0), mux_rsp[1]};

  logic unused;
  assign unused = ^{peer_target_req[RouteMem], peer_target_req[RoutePeer]};
endmodule
