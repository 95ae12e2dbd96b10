// Where a word is: in its own row, or in the spare one that stands in for it.
module sram_spare_map
  import sram_pkg::*;
(
    input  spare_t     [Spares-1:0] spares_i,
    input  word_addr_t              addr_i,
    output row_addr_t               row_o
);

  always_comb begin
    row_o = row_addr_t'(addr_i);
    for (int unsigned s = 0; s < Spares; s++)
      if (spares_i[s].enable && !spares_i[s].dead && spares_i[s].addr == addr_i) row_o = row_addr_t'(Words + s);
  end

endmodule
