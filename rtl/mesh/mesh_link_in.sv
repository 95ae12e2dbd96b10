// Packets of the mesh from the link to the router: the channel and the output that the other router has chosen stand in the link's head.
module mesh_link_in
  import mesh_pkg::*;
  import mesh_link_pkg::*;
#(
    parameter int unsigned NumVcs = 4,
    parameter int unsigned Depth = 8  // of the router's channels
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              enable_i,  // off: the router ignores us; packets are thrown away, also those that have begun
    // Requests, responses: the link's head, then the packet.
    input  logic [1:0]        valid_i,
    input  logic [1:0][DataWidth-1:0] data_i,
    output logic [1:0]        pop_o,
    // To the router.
    output flit_t             flit_o,
    input  logic [MaxVcs-1:0] credit_i
);
  localparam int unsigned Places = $clog2(Depth + 1);

  logic [NumVcs-1:0][Places-1:0] places_q;
  place_t [1:0] place_q, begins;  // length: what is left
  logic [1:0] first_q, drop_q, head, drops, wants, sends;
  logic turn_q, select;

  always_comb begin
    for (int unsigned c = 0; c < 2; c++) begin
      begins[c] = from_link(data_i[c]);
      head[c] = valid_i[c] && place_q[c].length == '0;
      drops[c] = valid_i[c] && !head[c] && (drop_q[c] || !enable_i);
      wants[c] = 1'b0;
      for (int unsigned v = 0; v < NumVcs; v++)
        if (place_q[c].vc == vc_t'(v)) wants[c] = valid_i[c] && !head[c] && !drops[c] && places_q[v] != '0;
    end
  end
  assign select = wants[turn_q] ? turn_q : !turn_q;
  assign sends = {wants[1] && select, wants[0] && !select};
  assign pop_o = head | drops | sends;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      place_q <= '0;
      first_q <= '0;
      drop_q  <= '0;
    end else begin
      for (int unsigned c = 0; c < 2; c++) begin
        if (head[c]) begin
          place_q[c] <= begins[c];
          first_q[c] <= 1'b1;
          // There is no such channel in this router.
          drop_q[c]  <= 32'(begins[c].vc) >= NumVcs;
        end else if (pop_o[c]) begin
          place_q[c].length <= place_q[c].length - length_t'(1);
          first_q[c]        <= 1'b0;
        end
        if (!head[c] && !enable_i) drop_q[c] <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      places_q <= {NumVcs{Places'(Depth)}};
      turn_q   <= 1'b0;
      flit_o   <= '0;
    end else begin
      for (int unsigned v = 0; v < NumVcs; v++) begin
        if (!enable_i) places_q[v] <= Places'(Depth);
        else places_q[v] <= places_q[v] + Places'(credit_i[v]) - Places'(sends != '0 && place_q[select].vc == vc_t'(v));
      end
      if (wants != '0) turn_q <= !select;
      flit_o <= '0;
      if (sends != '0) begin
        flit_o.valid <= 1'b1;
        flit_o.head  <= first_q[select];
        flit_o.tail  <= place_q[select].length == length_t'(1);
        flit_o.vc    <= place_q[select].vc;
        flit_o.port  <= first_q[select] ? place_q[select].port : Nowhere;
        flit_o.data  <= data_i[select];
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
