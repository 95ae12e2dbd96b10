// The data bus of Tern, a crossbar: managers that want different subordinates do not meet. The DMA engines reach everything, instruction fetch
// SRAM and external memory, other chips of the mesh all memories, the link's neighbour the SRAM; anything else answers DECERR. Every output
// is a function of registers only.
module axi_fabric (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // Managers.
    input  tern_pkg::axi_req_t [1:0] dma_req_i,
    output tern_pkg::axi_rsp_t [1:0] dma_rsp_o,
    input  tern_pkg::axi_req_t       fetch_req_i,       // the tensor engine's instructions
    output tern_pkg::axi_rsp_t       fetch_rsp_o,
    input  tern_pkg::axi_req_t       peer_in_req_i,     // the neighbour's accesses; addresses as in our own map
    output tern_pkg::axi_rsp_t       peer_in_rsp_o,
    input  tern_pkg::axi_req_t       mesh_in_req_i,     // those of other chips
    output tern_pkg::axi_rsp_t       mesh_in_rsp_o,
    // Subordinates.
    output tern_pkg::axi_req_t       sram_req_o,
    input  tern_pkg::axi_rsp_t       sram_rsp_i,
    output tern_pkg::axi_req_t       scratchpad_req_o,
    input  tern_pkg::axi_rsp_t       scratchpad_rsp_i,
    output tern_pkg::axi_req_t       mem_req_o,
    input  tern_pkg::axi_rsp_t       mem_rsp_i,
    output tern_pkg::axi_req_t       peer_req_o,        // addresses stay those of the peer window
    input  tern_pkg::axi_rsp_t       peer_rsp_i,
    output tern_pkg::axi_req_t       mesh_req_o,
    input  tern_pkg::axi_rsp_t       mesh_rsp_i
);
  import tern_pkg::*;
  import axi_route_pkg::*;

  localparam int unsigned Managers = 5;
  typedef enum logic [2:0] {
    Dma0   = 3'd0,
    Dma1   = 3'd1,
    Fetch  = 3'd2,
    PeerIn = 3'd3,
    MeshIn = 3'd4
  } manager_e;
  localparam routes_t [Managers-1:0] Allowed = {RoutesOfMesh, RoutesOfPeer, RoutesOfFetch, RoutesOfDma, RoutesOfDma};

  axi_req_t [Managers-1:0] req;
  axi_rsp_t [Managers-1:0] rsp, error_rsp;
  axi_req_t [Managers-1:0][NumRoutes-1:0] to;
  axi_rsp_t [Managers-1:0][NumRoutes-1:0] from;
  assign req = {mesh_in_req_i, peer_in_req_i, fetch_req_i, dma_req_i};
  assign {mesh_in_rsp_o, peer_in_rsp_o, fetch_rsp_o, dma_rsp_o} = rsp;

  // While nothing moves the crossbar's clock stands.
  /* verilator coverage_off */  // clock_gate.sv says why
  logic clk;
  /* verilator coverage_on */
  axi_clock #(.Ports(Managers + 5)) u_clock (
      .clk_i, .rst_ni, .req_i({req, mesh_req_o, peer_req_o, mem_req_o, scratchpad_req_o, sram_req_o}),
      .rsp_i({rsp, mesh_rsp_i, peer_rsp_i, mem_rsp_i, scratchpad_rsp_i, sram_rsp_i}), .clk_o(clk));

  for (genvar m = 0; m < int'(Managers); m++) begin : gen_manager
    axi_demux #(.Allowed(Allowed[m])) u_demux (
        .clk_i(clk), .rst_ni, .req_i(req[m]), .rsp_o(rsp[m]), .target_req_o(to[m]), .target_rsp_i(from[m]));
    axi_error u_error (.clk_i(clk), .rst_ni, .req_i(to[m][RouteNone]), .rsp_o(error_rsp[m]));
  end

  axi_rsp_t [4:0] sram_rsp;
  axi_rsp_t [2:0] scratchpad_rsp;
  axi_rsp_t [3:0] mem_rsp;
  axi_rsp_t [1:0] peer_rsp, mesh_rsp;
  axi_mux #(.Managers(5)) u_sram (
      .clk_i(clk), .rst_ni,
      .req_i({to[MeshIn][RouteSram], to[PeerIn][RouteSram], to[Fetch][RouteSram], to[Dma1][RouteSram], to[Dma0][RouteSram]}),
      .rsp_o(sram_rsp), .target_req_o(sram_req_o), .target_rsp_i(sram_rsp_i));
  axi_mux #(.Managers(3)) u_scratchpad (
      .clk_i(clk), .rst_ni, .req_i({to[MeshIn][RouteScratchpad], to[Dma1][RouteScratchpad], to[Dma0][RouteScratchpad]}),
      .rsp_o(scratchpad_rsp), .target_req_o(scratchpad_req_o), .target_rsp_i(scratchpad_rsp_i));
  axi_mux #(.Managers(4)) u_mem (
      .clk_i(clk), .rst_ni, .req_i({to[MeshIn][RouteMem], to[Fetch][RouteMem], to[Dma1][RouteMem], to[Dma0][RouteMem]}),
      .rsp_o(mem_rsp), .target_req_o(mem_req_o), .target_rsp_i(mem_rsp_i));
  axi_mux #(.Managers(2)) u_peer (
      .clk_i(clk), .rst_ni, .req_i({to[Dma1][RoutePeer], to[Dma0][RoutePeer]}), .rsp_o(peer_rsp), .target_req_o(peer_req_o),
      .target_rsp_i(peer_rsp_i));
  axi_mux #(.Managers(2)) u_mesh (
      .clk_i(clk), .rst_ni, .req_i({to[Dma1][RouteMesh], to[Dma0][RouteMesh]}), .rsp_o(mesh_rsp), .target_req_o(mesh_req_o),
      .target_rsp_i(mesh_rsp_i));

  // From RouteNone down to RouteSram.
  localparam axi_rsp_t Never = '0;
  assign from[Dma0] = {error_rsp[Dma0], mesh_rsp[0], peer_rsp[0], mem_rsp[0], scratchpad_rsp[0], sram_rsp[Dma0]};
  assign from[Dma1] = {error_rsp[Dma1], mesh_rsp[1], peer_rsp[1], mem_rsp[1], scratchpad_rsp[1], sram_rsp[Dma1]};
  assign from[Fetch] = {error_rsp[Fetch], Never, Never, mem_rsp[2], Never, sram_rsp[Fetch]};
  assign from[PeerIn] = {error_rsp[PeerIn], Never, Never, Never, Never, sram_rsp[PeerIn]};
  assign from[MeshIn] = {error_rsp[MeshIn], Never, Never, mem_rsp[3], scratchpad_rsp[2], sram_rsp[MeshIn]};

  logic unused;
  assign unused = ^{to[Fetch][RouteScratchpad], to[Fetch][RoutePeer], to[Fetch][RouteMesh], to[PeerIn][RouteScratchpad], to[PeerIn][RouteMem],
                    to[PeerIn][RoutePeer], to[PeerIn][RouteMesh], to[MeshIn][RoutePeer], to[MeshIn][RouteMesh]};
endmodule
