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
  place_t [1:0] place_q, begins;  // length: what is left
  logic [1:0] first_q, drop_q, head, drops, sends;
  flit_t [1:0] flit;

  always_comb begin
    for (int unsigned c = 0; c < 2; c++) begin
      begins[c] = from_link(data_i[c]);
      head[c] = valid_i[c] && place_q[c].length == '0;
      drops[c] = valid_i[c] && !head[c] && (drop_q[c] || !enable_i);
      flit[c] = '{
          valid: valid_i[c] && !head[c] && !drops[c],
          head: first_q[c],
          tail: place_q[c].length == length_t'(1),
          vc: place_q[c].vc,
          port: first_q[c] ? place_q[c].port : Nowhere,
          data: data_i[c]
      };
    end
  end
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

  mesh_merge #(
      .NumVcs(NumVcs),
      .Depth(Depth)
  ) u_merge (
      .clk_i,
      .rst_ni,
      .enable_i,
      .flit_i(flit),
      .ready_o(sends),
      .flit_o,
      .credit_i
  );
endmodule
