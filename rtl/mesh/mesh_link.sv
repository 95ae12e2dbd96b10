// A link between chips as a hop of the mesh: to our router it looks like the router at the other end. A link has no channels but two queues, so
// packets of a class follow one another here, whole. docs/mesh.md, "From chip to chip".
module mesh_link
  import mesh_pkg::*;
#(
    parameter int unsigned NumVcs = 4,  // 2 to 4, in two classes
    parameter int unsigned Depth = 8    // places in a channel, of the router and here
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    enable_i,  // of the router's port
    // The router's port.
    input  flit_t                   flit_i,
    output logic [MaxVcs-1:0]       credit_o,
    output flit_t                   flit_o,
    input  logic [MaxVcs-1:0]       credit_i,
    // The link: requests, responses.
    output link_pkg::flit_t [1:0]   packet_o,
    input  logic [1:0]              packet_ready_i,
    input  logic [1:0]              valid_i,
    input  logic [1:0][63:0]        data_i,
    output logic [1:0]              pop_o,
    output logic [1:0]              too_long_o  // one cycle, by class
);
  localparam int unsigned OfResponse = channels_of_responses(NumVcs, 2);
  localparam int unsigned OfRequest = channels_of_requests(NumVcs, 2);

  logic [NumVcs-1:0] valid, pop, tail;
  port_t [NumVcs-1:0] port;
  logic [NumVcs-1:0][DataWidth-1:0] data;
  mesh_channels #(
      .NumVcs(NumVcs),
      .Depth(Depth)
  ) u_channels (
      .clk_i,
      .rst_ni,
      .flit_i,
      .credit_o,
      .valid_o(valid),
      .tail_o(tail),
      .port_o(port),
      .data_o(data),
      .pop_i(pop)
  );

  mesh_link_out #(
      .Channels(OfRequest),
      .First(0),
      .Response(1'b0)
  ) u_requests (
      .clk_i,
      .rst_ni,
      .enable_i,
      .valid_i(valid[OfRequest-1:0]),
      .tail_i(tail[OfRequest-1:0]),
      .port_i(port[OfRequest-1:0]),
      .data_i(data[OfRequest-1:0]),
      .pop_o(pop[OfRequest-1:0]),
      .flit_o(packet_o[0]),
      .flit_ready_i(packet_ready_i[0]),
      .too_long_o(too_long_o[0])
  );
  mesh_link_out #(
      .Channels(OfResponse),
      .First(OfRequest),
      .Response(1'b1)
  ) u_responses (
      .clk_i,
      .rst_ni,
      .enable_i,
      .valid_i(valid[NumVcs-1:OfRequest]),
      .tail_i(tail[NumVcs-1:OfRequest]),
      .port_i(port[NumVcs-1:OfRequest]),
      .data_i(data[NumVcs-1:OfRequest]),
      .pop_o(pop[NumVcs-1:OfRequest]),
      .flit_o(packet_o[1]),
      .flit_ready_i(packet_ready_i[1]),
      .too_long_o(too_long_o[1])
  );

  mesh_link_in #(
      .NumVcs(NumVcs),
      .Depth(Depth)
  ) u_in (
      .clk_i,
      .rst_ni,
      .enable_i,
      .valid_i,
      .data_i,
      .pop_o,
      .flit_o,
      .credit_i
  );
endmodule
