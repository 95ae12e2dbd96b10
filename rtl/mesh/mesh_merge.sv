// Requests and responses on their way to a router, a flit a cycle and in turn, as the router's channels have places.
module mesh_merge
  import mesh_pkg::*;
#(
    parameter int unsigned NumVcs = 4,
    parameter int unsigned Depth = 8  // of the router's channels
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              enable_i,  // off: the router gives nothing back, and its channels are empty when it goes on
    input  flit_t [1:0]       flit_i,    // requests, responses
    output logic [1:0]        ready_o,
    output flit_t             flit_o,
    input  logic [MaxVcs-1:0] credit_i
);
  localparam int unsigned Places = $clog2(Depth + 1);

  logic [NumVcs-1:0][Places-1:0] places_q;
  logic [1:0] wants;
  logic turn_q, select;

  always_comb begin
    wants = '0;
    for (int unsigned c = 0; c < 2; c++)
      for (int unsigned v = 0; v < NumVcs; v++)
        if (flit_i[c].vc == vc_t'(v)) wants[c] = flit_i[c].valid && places_q[v] != '0;
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
      for (int unsigned v = 0; v < NumVcs; v++) begin
        if (!enable_i) places_q[v] <= Places'(Depth);
        else places_q[v] <= places_q[v] + Places'(credit_i[v]) - Places'(wants[select] && flit_i[select].vc == vc_t'(v));
      end
      if (wants != '0) turn_q <= !select;
      flit_o <= wants[select] ? flit_i[select] : '0;
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
