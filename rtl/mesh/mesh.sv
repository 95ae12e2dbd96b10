// The chip's part of the mesh: its router, the network interface at the local port, the link as one of the other ports, and their registers.
// docs/mesh.md.
module mesh
  import mesh_pkg::*;
  import mesh_regs_pkg::*;
  import tern_pkg::*;
(
    input  logic                  clk_i,
    input  logic                  rst_ni,
    input  reg_req_t              reg_req_i,
    output reg_rsp_t              reg_rsp_o,
    // Accesses to other nodes, and those of others here.
    input  axi_req_t              axi_req_i,
    output axi_rsp_t              axi_rsp_o,
    output axi_req_t              axi_req_o,
    input  axi_rsp_t              axi_rsp_i,
    // The link: requests, answers.
    output link_pkg::flit_t [1:0] link_flit_o,
    input  logic [1:0]            link_ready_i,
    input  logic [1:0]            link_valid_i,
    input  logic [1:0][63:0]      link_data_i,
    output logic [1:0]            link_pop_o,
    output logic                  irq_o,
    output logic                  clock_on_o  // its own clock ran in the last cycle
);

  mesh_reg2hw_t reg2hw;
  mesh_hw2reg_t hw2reg;

  // The clock stands still while nothing is under way and no one asks.
  /* verilator coverage_off */  // clock_gate.sv says why
  logic clk;
  /* verilator coverage_on */
  logic asked, busy, ni_busy;
  ports_t waiting;
  assign asked = reg_req_i.valid || axi_req_i.aw_valid || axi_req_i.w_valid || axi_req_i.ar_valid || axi_rsp_i.b_valid || axi_rsp_i.r_valid ||
      link_valid_i != '0;
  assign busy = ni_busy || waiting != '0 || link_flit_o[0].valid || link_flit_o[1].valid || axi_req_o.aw_valid || axi_req_o.w_valid ||
      axi_req_o.ar_valid;
  rest_clock u_clock (
      .clk_i,
      .rst_ni,
      .wake_i(asked || busy),
      .hold_i(1'b0),
      .clk_o(clk),
      .on_o(clock_on_o)
  );

  mesh_regs u_regs (
      .clk_i(clk),
      .rst_ni,
      .reg_req_i,
      .reg_rsp_o,
      .reg2hw_o(reg2hw),
      .hw2reg_i(hw2reg)
  );

  // Only these two ports lead anywhere.
  config_t config_now;
  port_t link_port;
  ports_t present;
  assign link_port = {1'b0, reg2hw.ctrl.link_port};
  always_comb begin
    present = '0;
    present[Local] = 1'b1;
    present[link_port] = 1'b1;
    config_now.here = '{y: reg2hw.place.y, x: reg2hw.place.x};
    config_now.last = '{y: reg2hw.place.last_y, x: reg2hw.place.last_x};
    config_now.table_mode = reg2hw.ctrl.table_mode;
    config_now.enable = reg2hw.ctrl.ports & present;
    for (int unsigned j = 0; j < NumPorts; j++)
      config_now.share[j] = {
        reg2hw.share[j].node, reg2hw.share[j].west, reg2hw.share[j].south, reg2hw.share[j].east, reg2hw.share[j].north
      };
  end
  logic table_write;
  assign table_write = reg2hw.route.node.pulse && reg2hw.route.next.pulse;

  flit_t [NumPorts-1:0] to_router, from_router;
  logic [NumPorts-1:0][MaxVcs-1:0] credit_from, credit_to;
  flit_t from_node, from_link;
  logic [MaxVcs-1:0] credit_of_node, credit_of_link;
  always_comb begin
    to_router = '0;
    to_router[Local] = from_node;
    to_router[link_port] = from_link;
    credit_to = '0;
    credit_to[Local] = credit_of_node;
    credit_to[link_port] = credit_of_link;
  end

  events_t router_events;
  mesh_router u_router (
      .clk_i(clk),
      .rst_ni,
      .config_i(config_now),
      .table_write_i(table_write),
      .table_node_i(reg2hw.route.node.value),
      .table_port_i(reg2hw.route.next.value),
      .flit_i(to_router),
      .credit_o(credit_from),
      .flit_o(from_router),
      .credit_i(credit_to),
      .waiting_o(waiting),
      .events_o(router_events)
  );

  mesh_ni_pkg::ni_events_t ni_events;
  logic accesses;
  mesh_ni u_ni (
      .clk_i(clk),
      .rst_ni,
      .enable_i(reg2hw.ctrl.enable),
      .config_i(config_now),
      .timeout_i(reg2hw.timeout.cycles),
      .table_write_i(table_write),
      .table_node_i(reg2hw.route.node.value),
      .table_port_i(reg2hw.route.first.value),
      .axi_req_i,
      .axi_rsp_o,
      .axi_req_o,
      .axi_rsp_i,
      .flit_o(from_node),
      .credit_i(credit_from[Local]),
      .flit_i(from_router[Local]),
      .credit_o(credit_of_node),
      .accesses_o(accesses),
      .busy_o(ni_busy),
      .events_o(ni_events)
  );

  logic [1:0] too_long;
  mesh_link u_link (
      .clk_i(clk),
      .rst_ni,
      .enable_i(config_now.enable[link_port]),
      .flit_i(from_router[link_port]),
      .credit_o(credit_of_link),
      .flit_o(from_link),
      .credit_i(credit_from[link_port]),
      .packet_o(link_flit_o),
      .packet_ready_i(link_ready_i),
      .valid_i(link_valid_i),
      .data_i(link_data_i),
      .pop_o(link_pop_o),
      .too_long_o(too_long)
  );

  localparam int unsigned OfRouter = $bits(events_t);
  localparam int unsigned OfNi = $bits(mesh_ni_pkg::ni_events_t);
  logic [OfRouter-1:0][31:0] router_counts;
  logic [OfNi-1:0][31:0] ni_counts;
  logic [1:0][31:0] too_long_counts;
  event_counters #(
      .Count(OfRouter + OfNi + 2)
  ) u_counters (
      .clk_i(clk),
      .rst_ni,
      .clear_i(reg2hw.command.clear_counters.pulse && reg2hw.command.clear_counters.value),
      .event_i({too_long, ni_events, router_events}),
      .twice_i('0),
      .count_o({too_long_counts, ni_counts, router_counts})
  );

  always_comb begin
    hw2reg.status.waiting = waiting;
    hw2reg.status.accesses = accesses;
    hw2reg.irq_status.timed_out = ni_events.timed_out != '0;
    hw2reg.irq_status.damaged = ni_events.damaged != '0;
    hw2reg.irq_status.discarded = router_events.discarded != '0 || too_long != '0;
    // Members of packed structs lie from the top: sent, stalled, discarded; timed_out, refused, stale, damaged.
    {hw2reg.sent, hw2reg.stalled, hw2reg.discarded} = router_counts;
    {hw2reg.timed_out, hw2reg.refused, hw2reg.stale, hw2reg.damaged} = ni_counts;
    hw2reg.too_long = too_long_counts;
  end

  logic irq_q;
  always_ff @(posedge clk or negedge rst_ni) begin
    if (!rst_ni) irq_q <= 1'b0;
    else irq_q <= (reg2hw.irq_status & reg2hw.irq_mask) != '0;
  end
  assign irq_o = irq_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) reg_req_i.valid && !reg_rsp_o.ready |=> clock_on_o)
  else $error("a register access met a clock that stands still");
  assert property (@(posedge clk_i) disable iff (!rst_ni) link_valid_i != '0 |=> clock_on_o)
  else $error("a packet met a clock that stands still");
`endif

endmodule
