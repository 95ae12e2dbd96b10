// Look-ahead routing: by which output a packet leaves the router behind `port_i`. Dimension order, x before y, or the table.
module mesh_route
  import mesh_pkg::*;
#(
    parameter bit Torus = 1'b0
) (
    input  config_t               config_i,
    input  port_t [MaxNodes-1:0]  table_i,  // by destination
    input  port_t                 port_i,   // output here
    input  node_t                 dst_i,
    output port_t                 next_o
);
  typedef logic [CoordWidth-1:0] coord_t;

  // One step in a dimension; `last` is the coordinate where a torus wraps round.
  function automatic coord_t step(coord_t at, coord_t last, logic up, logic down);
    if (up) return Torus && at == last ? '0 : at + 1'b1;
    if (down) return Torus && at == '0 ? last : at - 1'b1;
    return at;
  endfunction

  // Whether the way from `at` to another coordinate goes up. In a ring the shorter way; up when both are as long.
  function automatic logic goes_up(coord_t at, coord_t last, coord_t to);
    logic [CoordWidth:0] ahead, size;
    size  = {1'b0, last} + 1'b1;
    ahead = to >= at ? {1'b0, to} - {1'b0, at} : {1'b0, to} + size - {1'b0, at};
    return Torus ? {ahead, 1'b0} <= {1'b0, size} : to > at;
  endfunction

  node_t next;
  assign next = '{
      y: step(config_i.here.y, config_i.last.y, port_i == South, port_i == North),
      x: step(config_i.here.x, config_i.last.x, port_i == East, port_i == West)
  };

  port_t by_order;
  always_comb begin
    if (next.x != dst_i.x) by_order = goes_up(next.x, config_i.last.x, dst_i.x) ? East : West;
    else if (next.y != dst_i.y) by_order = goes_up(next.y, config_i.last.y, dst_i.y) ? South : North;
    else by_order = Local;
  end
  assign next_o = config_i.table_mode ? table_i[dst_i] : by_order;

  logic unused;
  assign unused = ^{config_i.enable, config_i.share, Torus ? 1'b0 : ^config_i.last};
endmodule
