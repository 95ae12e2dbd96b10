// Of the candidates in each column, those with the highest level. Levels are thermometers: [level][row][column].
module mesh_favour #(
    parameter int unsigned Rows = 5,
    parameter int unsigned Columns = 5,
    parameter int unsigned Levels = 1
) (
    input  logic [Rows-1:0][Columns-1:0]             candidate_i,
    input  logic [Levels-1:0][Rows-1:0][Columns-1:0] level_i,
    output logic [Rows-1:0][Columns-1:0]             favoured_o
);
  logic [Columns-1:0] reached;  // some candidate of the column has this level
  always_comb begin
    favoured_o = candidate_i;
    for (int unsigned l = 0; l < Levels; l++) begin
      reached = '0;
      for (int unsigned r = 0; r < Rows; r++) reached |= candidate_i[r] & level_i[l][r];
      for (int unsigned r = 0; r < Rows; r++) favoured_o[r] &= level_i[l][r] | ~reached;
    end
  end
endmodule
