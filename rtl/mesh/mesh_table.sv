// The table of routes: for each node the output by which packets to it leave the router behind ours on their way.
module mesh_table
  import mesh_pkg::*;
(
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 write_i,
    input  node_t                node_i,
    input  port_t                port_i,
    output port_t [MaxNodes-1:0] table_o
);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) table_o <= {MaxNodes{Nowhere}};
    else if (write_i) table_o[node_i] <= port_i;
  end
endmodule
