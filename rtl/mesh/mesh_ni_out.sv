// Requests and responses on their way to the router, a flit a cycle, each class in a channel of its own, so that responses never wait for
// requests.
module mesh_ni_out
  import mesh_pkg::*;
#(
    parameter int unsigned NumVcs = 4,
    parameter int unsigned Depth = 8  // of the router's channels
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  config_t           config_i,
    input  logic              table_write_i,
    input  node_t             table_node_i,
    input  port_t             table_port_i,
    input  flit_t [1:0]       flit_i,  // requests, responses
    input  node_t [1:0]       dst_i,
    output logic [1:0]        ready_o,
    output flit_t             flit_o,
    input  logic [MaxVcs-1:0] credit_i
);
  localparam int unsigned OfResponse = channels_of_responses(NumVcs, 2);
  localparam int unsigned OfRequest = channels_of_requests(NumVcs, 2);

  port_t [1:0] first;
  flit_t [1:0] flit;

  // The same channel for a node always, so that packets to it stay in order.
  function automatic vc_t channel(node_t dst, logic response);
    logic second;
    second = (response ? OfResponse : OfRequest) > 1 && (dst.x[0] ^ dst.y[0]);
    return (response ? vc_t'(OfRequest) : 2'd0) + vc_t'(second);
  endfunction

  port_t [MaxNodes-1:0] table_now;
  mesh_table u_table (
      .clk_i,
      .rst_ni,
      .write_i(table_write_i),
      .node_i(table_node_i),
      .port_i(table_port_i),
      .table_o(table_now)
  );
  for (genvar c = 0; c < 2; c++) begin : gen_class
    // What leaves by the local port is at our own router, so its look-ahead is the first output.
    mesh_route u_route (
        .config_i,
        .table_i(table_now),
        .port_i(Local),
        .dst_i(dst_i[c]),
        .next_o(first[c])
    );
  end
  always_comb begin
    flit = flit_i;
    for (int unsigned c = 0; c < 2; c++) begin
      flit[c].vc = channel(dst_i[c], c != 0);
      flit[c].port = flit_i[c].head ? first[c] : Nowhere;
    end
  end

  mesh_merge #(
      .NumVcs(NumVcs),
      .Depth(Depth)
  ) u_merge (
      .clk_i,
      .rst_ni,
      .enable_i(1'b1),
      .flit_i(flit),
      .ready_o,
      .flit_o,
      .credit_i
  );
endmodule
