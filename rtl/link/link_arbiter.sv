// Merges packets round robin, whole packets at a time. While the link is down packets are taken and thrown away, and so is the rest of a
// packet that had begun, so that no source ever waits for a link that is gone.
module link_arbiter
  import link_pkg::*;
#(
    parameter int unsigned Sources = 4
) (
    input logic clk_i,
    input logic rst_ni,

    input logic up_i,

    input  flit_t [Sources-1:0] flit_i,
    output logic  [Sources-1:0] ready_o,

    output flit_t flit_o,
    input  logic  ready_i,
    output logic  dropped_o  // one cycle: a flit thrown away
);

  localparam int unsigned Bits = $clog2(Sources);

  logic [Bits-1:0] last_q, select;
  logic locked_q, discard_q, discard, fire;

  logic [Bits-1:0] candidate;
  always_comb begin
    candidate = last_q;
    select = last_q;
    if (!locked_q) begin
      for (int unsigned i = 0; i < Sources; i++) begin
        candidate = last_q - Bits'(i);
        if (flit_i[candidate].valid) select = candidate;  // the latest assignment is the one next to the last winner
      end
    end
  end

  assign discard = discard_q || !up_i;
  assign fire = flit_i[select].valid && (discard || ready_i);
  always_comb begin
    flit_o = flit_i[select];
    flit_o.valid = flit_i[select].valid && !discard;
    ready_o = '0;
    ready_o[select] = discard || ready_i;
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
