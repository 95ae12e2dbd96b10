// No input and no output is granted twice, nothing is granted that was not requested, something is granted when anything is requested, and a request of the
// highest urgency that lasts is granted within five cycles.
module mesh_fair_match
  import mesh_pkg::*;
(
    input logic                 clk_i,
    input logic [4:0]           watch,     // input * 5 + output
    input matrix_t              request_i,
    input matrix_t [Levels-1:0] level_i
);
  logic rst_n;
  mesh_open u_open (.clk_i, .rst_no(rst_n));
  matrix_t grant, grant_t;
  mesh_match u_match (.clk_i, .rst_ni(rst_n), .request_i, .level_i, .grant_o(grant));
  assign grant_t = transpose(grant);

  logic [2:0] row, column;
  assign row = 3'(watch / 5'd5);
  assign column = 3'(watch % 5'd5);

  // How many cycles until the diagonal of the watched request is the first.
  logic [2:0] until_first;
  logic [4:0] turned;
  always_comb begin
    until_first = '0;
    for (int unsigned d = 0; d < NumPorts; d++) begin
      if (u_match.near_q[NumPorts-2][d]) until_first = 3'((32'(row) + 32'(column) + NumPorts - d) % NumPorts);
    end
    turned = u_match.near_q[NumPorts-2];
  end

  logic urgent;
  logic [2:0] waited_q;
  assign urgent = request_i[row][column] && level_i[Levels-1][row][column];
  always_ff @(posedge clk_i) begin
    if (!rst_n || !urgent || grant[row][column]) waited_q <= '0;
    else waited_q <= waited_q + 1'b1;
  end

  always_comb begin
    for (int unsigned l = 1; l < Levels; l++) assume ((level_i[l] & ~level_i[l-1]) == '0);
    if (rst_n) begin
      for (int unsigned i = 0; i < NumPorts; i++) begin
        assert ((grant[i] & (grant[i] - 1'b1)) == '0);
        assert ((grant_t[i] & (grant_t[i] - 1'b1)) == '0);
        assert ((grant[i] & ~request_i[i]) == '0);
      end
      if (request_i != '0) assert (grant != '0);
      // The diagonals turn.
      assert (turned != '0 && (turned & (turned - 1'b1)) == '0);
      for (int unsigned r = 0; r < NumPorts - 2; r++) begin
        for (int unsigned d = 0; d < NumPorts; d++) begin
          assert (u_match.near_q[r][d] == (u_match.near_q[r+1][d] || u_match.near_q[r+1][(d+NumPorts-1)%NumPorts]));
        end
      end
      assert (32'(waited_q) + 32'(until_first) < NumPorts);
    end
  end
endmodule
