// An output of the switch: counts the places behind its link, knows which virtual channels there are held by a packet, and sends.
module mesh_output
  import mesh_pkg::*;
#(
    parameter int unsigned NumVcs = 4,
    parameter int unsigned Depth = 8
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              enable_i,
    // From the switch: a flit that leaves in the next cycle.
    input  flit_t             flit_i,
    output logic [MaxVcs-1:0] room_o,    // there is a place in this virtual channel
    output logic [MaxVcs-1:0] free_o,    // no packet holds it
    // The link: `flit_o` is taken always; each bit of `credit_i` gives back a place.
    output flit_t             flit_o,
    input  logic [MaxVcs-1:0] credit_i
);
  localparam int unsigned CountWidth = $clog2(Depth + 1);

  logic [NumVcs-1:0][CountWidth-1:0] places_q;
  logic [NumVcs-1:0] held_q, sends;
  always_comb begin
    room_o = '0;
    free_o = '0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      sends[v] = flit_i.valid && flit_i.vc == vc_t'(v);
      room_o[v] = places_q[v] != '0;
      free_o[v] = !held_q[v];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      places_q <= {NumVcs{CountWidth'(Depth)}};
      held_q   <= '0;
    end else if (!enable_i) begin
      // What was behind the link is lost: all begins anew.
      places_q <= {NumVcs{CountWidth'(Depth)}};
      held_q   <= '0;
    end else begin
      for (int unsigned v = 0; v < NumVcs; v++) begin
        places_q[v] <= places_q[v] - CountWidth'(sends[v]) + CountWidth'(credit_i[v]);
        if (sends[v]) held_q[v] <= !flit_i.tail;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) flit_o <= '0;
    else if (flit_i.valid) flit_o <= flit_i;
    else flit_o.valid <= 1'b0;
  end

`ifndef SYNTHESIS
  for (genvar v = 0; v < int'(NumVcs); v++) begin : gen_assert
    // Never more in flight than there are places, and no place comes back that was not taken.
    assert property (@(posedge clk_i) disable iff (!rst_ni) sends[v] |-> places_q[v] != '0);
    assert property (@(posedge clk_i) disable iff (!rst_ni) enable_i && credit_i[v] |-> places_q[v] != CountWidth'(Depth));
    // A channel belongs to one packet from head to tail.
    assert property (@(posedge clk_i) disable iff (!rst_ni) sends[v] && enable_i |-> flit_i.head == !held_q[v]);
  end
`endif
endmodule
