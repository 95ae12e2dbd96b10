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
  localparam int unsigned Places = $clog2(Depth + 1);
  localparam int unsigned OfResponse = channels_of_responses(NumVcs, 2);
  localparam int unsigned OfRequest = channels_of_requests(NumVcs, 2);

  logic [NumVcs-1:0][Places-1:0] places_q;
  vc_t [1:0] vc;
  port_t [1:0] first;
  logic [1:0] wants;
  logic turn_q, select;

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
    assign vc[c] = channel(dst_i[c], c != 0);
    assign wants[c] = flit_i[c].valid && places_q[vc[c]] != '0;
  end

  assign select = wants[turn_q] ? turn_q : !turn_q;
  always_comb begin
    ready_o = '0;
    ready_o[select] = wants[select];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      places_q <= {NumVcs{Places'(Depth)}};
      turn_q   <= 1'b0;
      flit_o   <= '0;
    end else begin
      for (int unsigned v = 0; v < NumVcs; v++)
        places_q[v] <= places_q[v] + Places'(credit_i[v]) - Places'(wants[select] && vc[select] == vc_t'(v));
      if (wants != '0) turn_q <= !select;
      flit_o <= '0;
      if (wants[select]) begin
        flit_o      <= flit_i[select];
        flit_o.vc   <= vc[select];
        flit_o.port <= flit_i[select].head ? first[select] : Nowhere;
      end
    end
  end

  logic unused;
  assign unused = ^credit_i;

`ifndef SYNTHESIS
  for (genvar v = 0; v < int'(NumVcs); v++) begin : gen_places
    assert property (@(posedge clk_i) disable iff (!rst_ni) places_q[v] <= Places'(Depth));
  end
`endif
endmodule
