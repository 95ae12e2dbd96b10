// In the whole switch, whatever comes in and whatever of the requests is granted: a virtual channel behind an output is held by one packet, from its head to its
// tail, and no other has a flit there in between. Links may go off and on at any moment.
module mesh_wormhole
  import mesh_pkg::*;
(
    input logic                            clk_i,
    input logic [4:0]                      watch,     // an output * 4 + a virtual channel behind it
    input config_t                         config_i,
    input logic                            table_write_i,
    input node_t                           table_node_i,
    input port_t                           table_port_i,
    input flit_t [NumPorts-1:0]            flit_i,
    input logic [NumPorts-1:0][MaxVcs-1:0] credit_i
);
  localparam int unsigned NumVcs = 4;
  logic rst_n;
  mesh_open u_open (.clk_i, .rst_no(rst_n));

  logic [NumPorts-1:0][MaxVcs-1:0] credit;
  flit_t [NumPorts-1:0] flit;
  ports_t waiting;
  events_t events;
  mesh_router #(.NumVcs(NumVcs)) u_router (
      .clk_i, .rst_ni(rst_n), .config_i, .table_write_i, .table_node_i, .table_port_i, .flit_i, .credit_o(credit), .flit_o(flit), .credit_i,
      .waiting_o(waiting), .events_o(events));

  port_t out;
  vc_t vc;
  assign out = watch[4:2];
  assign vc = watch[1:0];

  // Which packets of which input and channel hold the one that is watched.
  logic [NumPorts-1:0][NumVcs-1:0] holds;
  for (genvar i = 0; i < int'(NumPorts); i++) begin : gen_input
    for (genvar v = 0; v < int'(NumVcs); v++) begin : gen_vc
      assign holds[i][v] = u_router.gen_input[i].u_input.gen_vc[v].u_vc.open_q && !u_router.gen_input[i].u_input.gen_vc[v].u_vc.discard_q &&
                           u_router.gen_input[i].u_input.gen_vc[v].u_vc.port_q == out && u_router.gen_input[i].u_input.gen_vc[v].u_vc.vc_q == vc;
    end
  end
  logic [NumPorts-1:0][NumVcs-1:0] held;
  assign held = {u_router.gen_output[4].u_output.held_q, u_router.gen_output[3].u_output.held_q, u_router.gen_output[2].u_output.held_q,
                 u_router.gen_output[1].u_output.held_q, u_router.gen_output[0].u_output.held_q};

  // The matching, proven by mesh_fair_match, is cut away here.
  matrix_t grant, grant_t;
  assign grant = u_router.grant;
  assign grant_t = transpose(grant);

  always_comb begin
    for (int unsigned i = 0; i < NumPorts; i++) begin
      assume ((grant[i] & ~u_router.request[i]) == '0);
      assume ((grant[i] & (grant[i] - 1'b1)) == '0);
      assume ((grant_t[i] & (grant_t[i] - 1'b1)) == '0);
    end
    if (rst_n) begin
      assert ((holds & (holds - 1'b1)) == '0);
      assert ((holds != '0) == held[out][vc]);
      if (u_router.switched[out].valid && u_router.switched[out].vc == vc) begin
        assert (u_router.switched[out].head == !held[out][vc]);
        assert (u_router.room[out][vc]);
      end
    end
  end

  logic unused;
  assign unused = ^{credit, flit, waiting, events};
endmodule
