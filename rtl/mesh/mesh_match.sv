// Matches inputs and outputs: each output offers itself to its most urgent request, each input takes the most urgent offer; what is left over does so once
// more. Among equals the diagonal decides on which they lie, input plus output modulo five, and the first diagonal is another one each cycle: a request
// of the highest level that lasts for five cycles is granted within them.
module mesh_match
  import mesh_pkg::*;
(
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  matrix_t              request_i,
    input  matrix_t [Levels-1:0] level_i,    // thermometers
    output matrix_t              grant_o     // one a row and a column at the most
);
  // How near to the first diagonal, as a thermometer. Rows and columns see the same.
  localparam int unsigned Ranks = NumPorts - 1;
  logic [Ranks-1:0][NumPorts-1:0] near_q;  // by diagonal
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      near_q <= {5'b00001, 5'b00011, 5'b00111, 5'b01111};
    end else begin
      for (int unsigned r = 0; r < Ranks; r++) near_q[r] <= {near_q[r][NumPorts-2:0], near_q[r][NumPorts-1]};
    end
  end
  matrix_t [Ranks-1:0] rank;
  always_comb begin
    for (int unsigned r = 0; r < Ranks; r++) begin
      for (int unsigned i = 0; i < NumPorts; i++) begin
        for (int unsigned j = 0; j < NumPorts; j++) rank[r][i][j] = near_q[r][(i+j)%NumPorts];
      end
    end
  end

  matrix_t [Levels-1:0] level_t;
  always_comb begin
    for (int unsigned l = 0; l < Levels; l++) level_t[l] = transpose(level_i[l]);
  end

  matrix_t first, left, second;
  mesh_round u_first (.request_i, .level_i, .level_t_i(level_t), .rank_i(rank), .match_o(first));
  ports_t taken;
  always_comb begin
    taken = '0;
    for (int unsigned i = 0; i < NumPorts; i++) taken |= first[i];
    for (int unsigned i = 0; i < NumPorts; i++) left[i] = first[i] == '0 ? request_i[i] & ~taken : '0;
  end
  mesh_round u_second (.request_i(left), .level_i, .level_t_i(level_t), .rank_i(rank), .match_o(second));
  assign grant_o = first | second;

`ifndef SYNTHESIS
  matrix_t grant_t;
  assign grant_t = transpose(grant_o);
  for (genvar i = 0; i < int'(NumPorts); i++) begin : gen_assert
    assert property (@(posedge clk_i) disable iff (!rst_ni) $onehot0(grant_o[i]) && $onehot0(grant_t[i]));
    assert property (@(posedge clk_i) disable iff (!rst_ni) (grant_o[i] & ~request_i[i]) == '0);
  end
`endif
endmodule
