// Where a word is: in its own row, or in the spare one that stands in for it. Spare rows lie behind the words.
module mem_spare_map #(
    parameter  int unsigned Words = 2,
    parameter  int unsigned Spares = 2,
    localparam int unsigned AddrWidth = $clog2(Words),
    localparam int unsigned RowWidth = $clog2(Words + Spares)
) (
    input  logic [Spares-1:0]                enable_i,
    input  logic [Spares-1:0]                dead_i,
    input  logic [Spares-1:0][AddrWidth-1:0] spare_addr_i,
    input  logic             [AddrWidth-1:0] addr_i,
    output logic             [ RowWidth-1:0] row_o
);

  always_comb begin
    row_o = RowWidth'(addr_i);
    for (int unsigned s = 0; s < Spares; s++)
      if (enable_i[s] && !dead_i[s] && spare_addr_i[s] == addr_i) row_o = RowWidth'(Words + s);
  end

endmodule
