// Merges packets round robin, whole packets at a time, each as soon as there is credit for all of it. While the link is down packets are taken and thrown away, and so is the rest of a
// packet that had begun, so that no source ever waits for a link that is gone.
module link_arbiter
  import link_pkg::*;
#(
    parameter int unsigned Sources = 6
) (
    input logic clk_i,
    input logic rst_ni,

    input logic up_i,

    input  logic  [NumClasses-1:0][7:0] available_i,  // flits

    input  flit_t [Sources-1:0] flit_i,
    output logic  [Sources-1:0] ready_o,

    output flit_t flit_o,
    input  logic  ready_i,
    output logic  dropped_o  // one cycle: a flit thrown away
);

  localparam int unsigned Bits = $clog2(Sources);

  logic [Bits-1:0] last_q, select;
  logic locked_q, discard_q, discard, fire;
  logic [(1<<Bits)-1:0] eligible;

  logic [Bits-1:0] candidate;
  assign discard = discard_q || !up_i;
  always_comb begin
    eligible = '0;
    for (int unsigned s = 0; s < Sources; s++)
      eligible[s] = flit_i[s].valid && (locked_q || discard || {3'd0, body_flits(flit_i[s].data)} < available_i[flit_i[s].traffic]);
  end
  always_comb begin
    candidate = last_q;
    select = last_q;
    if (!locked_q) begin
      for (int unsigned i = 0; i < $bits(eligible); i++) begin
        candidate = last_q - Bits'(i);
        if (eligible[candidate]) select = candidate;  // the latest assignment is the one next to the last winner
      end
    end
  end

  assign fire = eligible[select] && (discard || ready_i);
  always_comb begin
    flit_o = flit_i[select];
    flit_o.valid = eligible[select] && !discard;
    ready_o = '0;
    ready_o[select] = eligible[select] && (discard || ready_i);
  end
  assign dropped_o = fire && discard;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q    <= '0;
      locked_q  <= 1'b0;
      discard_q <= 1'b0;
    end else if (fire) begin
      last_q    <= select;
      locked_q  <= !flit_i[select].last;
      discard_q <= discard && !flit_i[select].last;
    end else if (locked_q && !up_i) discard_q <= 1'b1;
  end

endmodule
