// Where an address of the data bus leads.
package axi_route_pkg;
  import tern_axi_map_pkg::*;
  import tern_pkg::*;

  parameter int unsigned NumRoutes = 4;
  typedef enum logic [1:0] {
    RouteSram = 2'd0,
    RouteMem  = 2'd1,  // HBM and host memory, by the chip's AXI4 port
    RoutePeer = 2'd2,
    RouteNone = 2'd3   // nothing there, or not for this manager
  } route_e;

  function automatic route_e route_of(logic [AxiAddrWidth-1:0] addr, logic sram_only);
    if (addr >= AxiSramBase && addr < AxiSramBase + AxiSramBytes) return RouteSram;
    if (sram_only) return RouteNone;
    if (addr >= AxiHbmBase && addr < AxiHbmBase + AxiHbmBytes) return RouteMem;
    if (addr >= AxiHostBase && addr < AxiHostBase + AxiHostBytes) return RouteMem;
    if (addr >= AxiPeerBase && addr < AxiPeerBase + AxiPeerBytes) return RoutePeer;
    return RouteNone;
  endfunction
endpackage
