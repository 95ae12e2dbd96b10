// One virtual channel of an input: its buffer, and the packet whose flits are passing. A packet takes an output and a virtual channel behind it with
// its head and keeps them until its tail.
module mesh_vc
  import mesh_pkg::*;
#(
    parameter int unsigned Depth = 8,
    parameter port_t In = Local
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    input  ports_t                           enable_i,    // of links
    input  logic                             tick_i,      // from time to time, for whoever waits long
    // From the link.
    input  logic                             push_i,
    input  entry_t                           entry_i,
    output logic                             freed_o,     // a place in the buffer
    // Of each output and virtual channel behind it: there is room; and no packet holds it.
    input  logic [NumPorts-1:0][MaxVcs-1:0]  room_i,
    input  logic [NumPorts-1:0][MaxVcs-1:0]  free_i,
    // The request for an output: `grant_i` only with one, and may depend on it.
    output ports_t                           request_o,
    output urgency_t                         urgency_o,
    input  logic                             grant_i,
    output flit_t                            flit_o,
    output logic                             waiting_o,   // a flit is here
    output logic                             discarded_o  // the last flit of a packet that goes nowhere is thrown away
);
  localparam int unsigned CountWidth = $clog2(Depth + 1);

  logic open_q, discard_q;  // in the midst of a packet; which is being thrown away
  port_t port_q;
  vc_t vc_q;

  entry_t front;
  logic valid, pop;
  logic [CountWidth-1:0] count;
  mesh_fifo #(.Depth(Depth), .T(entry_t)) u_fifo (
      .clk_i, .rst_ni, .push_i, .data_i(entry_i), .valid_o(valid), .data_o(front), .pop_i(pop), .count_o(count));

  // A link that fails in the midst of a packet leaves it without a tail: it gets one here, and lets go of what it holds.
  logic cut, tail;
  assign cut = open_q && !valid && !enable_i[In];
  assign tail = cut || front.tail;

  // Where the packet goes. It is thrown away when no way leads there, back to where it came from, or by a link that is off.
  port_t wanted, port;
  vc_t vc;
  logic lost, discard;
  assign wanted = open_q ? port_q : front.port;
  assign port = wanted > Local ? Local : wanted;
  assign vc = open_q ? vc_q : front.vc;
  assign lost = wanted > Local || (In != Local && wanted == In) || !enable_i[port];
  assign discard = discard_q || lost;

  logic here, able, leaves;
  assign here = valid || cut;
  assign able = here && !discard && room_i[port][vc] && (open_q || free_i[port][vc]);
  assign leaves = grant_i || (here && discard);
  assign pop = leaves && !cut;
  assign request_o = able ? ports_t'(1'b1) << port : '0;
  assign waiting_o = here;
  assign freed_o = pop;
  assign discarded_o = here && discard && tail;
  assign flit_o = '{
      valid: grant_i,
      head: !open_q,
      tail: tail,
      vc: vc,
      port: front.next,
      data: cut ? '0 : front.data
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q    <= 1'b0;
      discard_q <= 1'b0;
      port_q    <= Local;
      vc_q      <= '0;
    end else if (leaves) begin
      open_q    <= !tail;
      discard_q <= discard && !tail;
      port_q    <= wanted;
      vc_q      <= vc;
    end else if (open_q && lost) begin
      // Also while no flit is here: what the packet held is no more its own when the link comes back.
      discard_q <= 1'b1;
    end
  end

  // Starving: nothing has left for one whole interval between ticks at least.
  logic waited_q, starving_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waited_q   <= 1'b0;
      starving_q <= 1'b0;
    end else if (leaves || !here) begin
      waited_q   <= 1'b0;
      starving_q <= 1'b0;
    end else if (tick_i) begin
      waited_q   <= 1'b1;
      starving_q <= waited_q;
    end
  end
  assign urgency_o[0] = starving_q || count >= CountWidth'(2);
  assign urgency_o[1] = starving_q || count >= CountWidth'(3);
  assign urgency_o[2] = starving_q || count >= CountWidth'(5);
  assign urgency_o[3] = starving_q;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) grant_i |-> able);
  // A packet begins with a head and has no other.
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid |-> front.head == !open_q);
`endif
endmodule
