// The mesh switch: five ports, wormhole switching, virtual channels, credits. A flit that meets no other is here for one cycle: in the cycle in which it
// arrives it is routed, wins its output and a virtual channel behind it, and is on the next link with the next clock edge. docs/mesh.md.
module mesh_router
  import mesh_pkg::*;
#(
    parameter int unsigned NumVcs = 4,      // 2 to 4
    parameter int unsigned NumClasses = 2,  // 2: requests and responses have channels of their own
    parameter int unsigned Depth = 8,       // flits that each virtual channel of an input holds; a power of two
    parameter bit Torus = 1'b0,             // links go round; each class needs two channels or all four
    parameter int unsigned TickBits = 8     // a request starves after 1 to 2 times 2^TickBits cycles
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    // Static while packets are under way, but for `enable`.
    input  config_t                          config_i,
    input  logic                             table_write_i,
    input  node_t                            table_node_i,
    input  port_t                            table_port_i,
    // Links, [port]. A flit is taken in the cycle in which it is valid; the sender keeps to the places that it knows of, Depth after
    // reset and one more with each bit of a credit. Both are registers on the sending side.
    input  flit_t [NumPorts-1:0]             flit_i,
    output logic [NumPorts-1:0][MaxVcs-1:0]  credit_o,
    output flit_t [NumPorts-1:0]             flit_o,
    input  logic [NumPorts-1:0][MaxVcs-1:0]  credit_i,
    // Status and counters.
    output ports_t                           waiting_o,  // flits wait in this input
    output events_t                          events_o
);
  port_t [MaxNodes-1:0] next;
  mesh_table u_table (.clk_i, .rst_ni, .write_i(table_write_i), .node_i(table_node_i), .port_i(table_port_i), .table_o(next));

  logic [TickBits-1:0] time_q;
  logic tick;
  assign tick = time_q == '1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) time_q <= '0;
    else time_q <= time_q + 1'b1;
  end

  logic [NumPorts-1:0][MaxVcs-1:0] room, free;
  matrix_t request, grant, has;
  ports_t [NumPorts-1:0][CrowdLevels:0] urgency;  // [input][level]
  flit_t [NumPorts-1:0] offered, switched;
  logic [NumPorts-1:0][NumVcs-1:0] waiting, left, discarded;

  for (genvar i = 0; i < int'(NumPorts); i++) begin : gen_input
    mesh_input #(.NumVcs(NumVcs), .NumClasses(NumClasses), .Depth(Depth), .Torus(Torus), .In(port_t'(i))) u_input (
        .clk_i, .rst_ni, .config_i, .table_i(next), .tick_i(tick), .flit_i(flit_i[i]), .credit_o(credit_o[i]), .room_i(room), .free_i(free),
        .request_o(request[i]), .urgency_o(urgency[i]), .grant_i(grant[i]), .flit_o(offered[i]), .waiting_o(waiting[i]), .left_o(left[i]),
        .discarded_o(discarded[i]));
    assign waiting_o[i] = waiting[i] != '0;
  end

  // How many wait counts more than whose share it is; starving more than both.
  matrix_t [Levels-1:0] level;
  always_comb begin
    for (int unsigned i = 0; i < NumPorts; i++) begin
      level[0][i] = has[i] | urgency[i][0];
      for (int unsigned c = 0; c < CrowdLevels; c++) begin
        level[2*c+1][i] = urgency[i][c];
        level[2*c+2][i] = (urgency[i][c] & has[i]) | urgency[i][c+1];
      end
      level[Levels-1][i] = urgency[i][CrowdLevels];
    end
  end
  mesh_match u_match (.clk_i, .rst_ni, .request_i(request), .level_i(level), .grant_o(grant));
  mesh_shares u_shares (.clk_i, .rst_ni, .share_i(config_i.share), .request_i(request), .grant_i(grant), .has_o(has));

  always_comb begin
    for (int unsigned j = 0; j < NumPorts; j++) begin
      switched[j] = '0;
      for (int unsigned i = 0; i < NumPorts; i++) if (grant[i][j]) switched[j] = offered[i];
    end
  end
  for (genvar j = 0; j < int'(NumPorts); j++) begin : gen_output
    mesh_output #(.NumVcs(NumVcs), .Depth(Depth)) u_output (
        .clk_i, .rst_ni, .enable_i(config_i.enable[j]), .flit_i(switched[j]), .room_o(room[j]), .free_o(free[j]), .flit_o(flit_o[j]),
        .credit_i(credit_i[j]));
  end

  mesh_events #(.NumVcs(NumVcs), .NumClasses(NumClasses)) u_events (
      .sent_i(switched), .waiting_i(waiting), .left_i(left), .discarded_i(discarded), .events_o);
endmodule
