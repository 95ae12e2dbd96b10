// Who has a share of an output left. Every input gets its share again when none of those that want the output has any. Shares in proportion to the
// nodes whose packets an input brings make a crowded mesh fair to those far away.
module mesh_shares
  import mesh_pkg::*;
(
    input  logic    clk_i,
    input  logic    rst_ni,
    input  shares_t share_i,    // [output][input]
    input  matrix_t request_i,
    input  matrix_t grant_i,
    output matrix_t has_o
);
  shares_t left_q;
  ports_t wanted, shared, renew;
  always_comb begin
    wanted = '0;
    shared = '0;
    for (int unsigned i = 0; i < NumPorts; i++) begin
      for (int unsigned j = 0; j < NumPorts; j++) has_o[i][j] = left_q[j][i] != '0;
      wanted |= request_i[i];
      shared |= request_i[i] & has_o[i];
    end
    renew = wanted & ~shared;  // not while nobody can send: that is no turn
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
    end else begin
      for (int unsigned i = 0; i < NumPorts; i++) begin
        for (int unsigned j = 0; j < NumPorts; j++) begin
          if (renew[j]) left_q[j][i] <= share_i[j][i] - ShareWidth'(grant_i[i][j] && share_i[j][i] != '0);
          else left_q[j][i] <= left_q[j][i] - ShareWidth'(grant_i[i][j] && has_o[i][j]);
        end
      end
    end
  end
endmodule
