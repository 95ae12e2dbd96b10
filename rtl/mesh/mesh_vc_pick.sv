// Which virtual channel of an input would go to each output: a starving one, else one where many wait, else in turn.
module mesh_vc_pick
  import mesh_pkg::*;
#(
    parameter int unsigned NumVcs = 4
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  ports_t [NumVcs-1:0]      request_i,
    input  urgency_t [NumVcs-1:0]    urgency_i,
    output ports_t                   request_o,
    output ports_t [CrowdLevels:0]   urgency_o,  // [level][output]
    output ports_t [NumVcs-1:0]      pick_o,     // of each output with a request one channel
    input  logic [NumVcs-1:0]        granted_i   // the one that leaves
);
  ports_t [CrowdLevels:0][NumVcs-1:0] level;
  always_comb begin
    urgency_o = '0;
    for (int unsigned l = 0; l <= CrowdLevels; l++) begin
      for (int unsigned v = 0; v < NumVcs; v++) begin
        level[l][v] = {NumPorts{urgency_i[v][l]}};
        urgency_o[l] |= request_i[v] & level[l][v];
      end
    end
  end
  ports_t [NumVcs-1:0] favoured;
  mesh_favour #(.Rows(NumVcs), .Columns(NumPorts), .Levels(CrowdLevels + 1)) u_urgent (
      .candidate_i(request_i), .level_i(level), .favoured_o(favoured));

  // Those behind the last that left come first.
  logic [NumVcs-1:0] behind_q;
  ports_t taken_behind, taken;
  always_comb begin
    taken_behind = '0;
    taken = '0;
    pick_o = '0;
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (behind_q[v]) begin
        pick_o[v] = favoured[v] & ~taken_behind;
        taken_behind |= favoured[v];
      end
    end
    for (int unsigned v = 0; v < NumVcs; v++) begin
      if (!behind_q[v]) begin
        pick_o[v] = favoured[v] & ~taken_behind & ~taken;
        taken |= favoured[v];
      end
    end
    request_o = taken_behind | taken;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) behind_q <= '0;
    else if (granted_i != '0) behind_q <= ~(granted_i | (granted_i - 1'b1));
  end
endmodule
