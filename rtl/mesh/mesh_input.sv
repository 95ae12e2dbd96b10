// An input of the switch: routes what arrives, keeps it by virtual channel, and offers one flit for each output.
module mesh_input
  import mesh_pkg::*;
#(
    parameter int unsigned NumVcs = 4,
    parameter int unsigned NumClasses = 2,
    parameter int unsigned Depth = 8,
    parameter bit Torus = 1'b0,
    parameter port_t In = Local
) (
    input  logic                            clk_i,
    input  logic                            rst_ni,
    input  config_t                         config_i,
    input  port_t [MaxNodes-1:0]            table_i,
    input  logic                            tick_i,
    // The link. A flit is taken always: the sender counts places (credits), of which one comes back with each bit of `credit_o`.
    input  flit_t                           flit_i,
    output logic [MaxVcs-1:0]               credit_o,
    // Of each output and virtual channel behind it: there is room; and no packet holds it.
    input  logic [NumPorts-1:0][MaxVcs-1:0] room_i,
    input  logic [NumPorts-1:0][MaxVcs-1:0] free_i,
    // Requests, how urgent each is ([level][output]), and the one that is granted, in the same cycle.
    output ports_t                          request_o,
    output ports_t [CrowdLevels:0]          urgency_o,
    input  ports_t                          grant_i,
    output flit_t                           flit_o,
    // For the counters and status.
    output logic [NumVcs-1:0]               waiting_o,
    output logic [NumVcs-1:0]               left_o,
    output logic [NumVcs-1:0]               discarded_o
);
  /* verilator lint_off UNUSEDSIGNAL */
  header_t header;  // what else is in it is between the ends
  /* verilator lint_on UNUSEDSIGNAL */
  assign header = header_t'(flit_i.data);

  port_t next;
  vc_t vc;
  mesh_route #(.Torus(Torus)) u_route (.config_i, .table_i, .port_i(flit_i.port), .dst_i(header.dst), .next_o(next));
  mesh_vc_map #(.NumVcs(NumVcs), .NumClasses(NumClasses), .Torus(Torus), .In(In)) u_map (
      .here_i(config_i.here), .last_i(config_i.last), .response_i(header.response), .vc_i(flit_i.vc), .port_i(flit_i.port), .next_i(next),
      .vc_o(vc));

  entry_t entry;
  assign entry = '{head: flit_i.head, tail: flit_i.tail, port: flit_i.port, next: next, vc: vc, data: flit_i.data};

  ports_t [NumVcs-1:0] request, pick;
  urgency_t [NumVcs-1:0] urgency;
  flit_t [NumVcs-1:0] flit;
  logic [NumVcs-1:0] freed, grant;
  for (genvar v = 0; v < int'(NumVcs); v++) begin : gen_vc
    mesh_vc #(.Depth(Depth), .In(In)) u_vc (
        .clk_i, .rst_ni, .enable_i(config_i.enable), .tick_i,
        .push_i(flit_i.valid && config_i.enable[In] && flit_i.vc == vc_t'(v)), .entry_i(entry), .freed_o(freed[v]), .room_i, .free_i,
        .request_o(request[v]), .urgency_o(urgency[v]), .grant_i(grant[v]), .flit_o(flit[v]), .waiting_o(waiting_o[v]),
        .discarded_o(discarded_o[v]));
    assign grant[v] = (pick[v] & grant_i) != '0;
  end
  mesh_vc_pick #(.NumVcs(NumVcs)) u_pick (
      .clk_i, .rst_ni, .request_i(request), .urgency_i(urgency), .request_o, .urgency_o, .pick_o(pick), .granted_i(grant));
  assign left_o = grant;

  always_comb begin
    flit_o = '0;
    for (int unsigned v = 0; v < NumVcs; v++) if (grant[v]) flit_o = flit[v];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) credit_o <= '0;
    else credit_o <= MaxVcs'(freed);
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) flit_i.valid |-> 32'(flit_i.vc) < NumVcs);
`endif
endmodule
