// Where an address of the data bus leads, and who may go there.
package axi_route_pkg;
  import tern_axi_map_pkg::*;
  import tern_pkg::*;

  /* verilator lint_off UNUSEDPARAM */

  parameter int unsigned NumRoutes = 6;
  typedef enum logic [2:0] {
    RouteSram       = 3'd0,
    RouteScratchpad = 3'd1,
    RouteMem        = 3'd2,  // HBM and host memory, by the chip's AXI4 port
    RoutePeer       = 3'd3,
    RouteMesh       = 3'd4,  // other chips
    RouteNone       = 3'd5   // nothing there, or not for this manager
  } route_e;

  // The routes of a manager, a bit each.
  typedef logic [NumRoutes-1:0] routes_t;
  parameter routes_t RoutesOfDma = '1;
  parameter routes_t RoutesOfFetch = routes_t'((1 << RouteSram) | (1 << RouteMem) | (1 << RouteNone));
  parameter routes_t RoutesOfMesh =
      routes_t'((1 << RouteSram) | (1 << RouteScratchpad) | (1 << RouteMem) | (1 << RouteNone));
  parameter routes_t RoutesOfPeer = routes_t'((1 << RouteSram) | (1 << RouteNone));

  function automatic route_e route_of(logic [AxiAddrWidth-1:0] addr, routes_t allowed);
    route_e route;
    route = RouteNone;
    if (addr >= AxiSramBase && addr < AxiSramBase + AxiSramBytes) route = RouteSram;
    if (addr >= AxiScratchpadBase && addr < AxiScratchpadBase + AxiScratchpadBytes) route = RouteScratchpad;
    if (addr >= AxiHbmBase && addr < AxiHbmBase + AxiHbmBytes) route = RouteMem;
    if (addr >= AxiHostBase && addr < AxiHostBase + AxiHostBytes) route = RouteMem;
    if (addr >= AxiPeerBase && addr < AxiPeerBase + AxiPeerBytes) route = RoutePeer;
    if (addr >= AxiMeshBase) route = RouteMesh;
    return allowed[route] ? route : RouteNone;
  endfunction
endpackage
