// One round of matching: each output offers itself to its most urgent request, each input takes the most urgent offer. Among equals the rank decides.
module mesh_round
  import mesh_pkg::*;
(
    input  matrix_t                request_i,
    input  matrix_t [Levels-1:0]   level_i,    // thermometers
    input  matrix_t [Levels-1:0]   level_t_i,  // the same with inputs and outputs exchanged
    input  matrix_t [NumPorts-2:0] rank_i,     // a thermometer; no two of a row or a column are equal, and both see the same
    output matrix_t                match_o     // one a row and a column at the most
);
  matrix_t urgent, offer, offered, accepted, chosen;
  mesh_favour #(.Levels(Levels)) u_urgent (.candidate_i(request_i), .level_i, .favoured_o(urgent));
  mesh_favour #(.Levels(NumPorts - 1)) u_offer (.candidate_i(urgent), .level_i(rank_i), .favoured_o(offer));
  assign offered = transpose(offer);
  mesh_favour #(.Levels(Levels)) u_accept (.candidate_i(offered), .level_i(level_t_i), .favoured_o(accepted));
  mesh_favour #(.Levels(NumPorts - 1)) u_choose (.candidate_i(accepted), .level_i(rank_i), .favoured_o(chosen));
  assign match_o = transpose(chosen);
endmodule
