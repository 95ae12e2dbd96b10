// The session: from L0 to the next reset of the link, through any number of recoveries. While it lives nothing between the two ends is lost,
// repeated or reordered. It goes on after a retraining only if both ends say so in their START sets; else both begin anew.
module link_session
  import link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input logic enter_config_i,  // one cycle each
    input logic enter_l0_i,
    input logic start_i,         // both ends agreed: START sets, then data
    input logic drop_i,          // the state has no session
    input set_t peer_i,          // the last set

    output logic resume_o,    // to say in sets
    output logic fresh_o,     // no session
    output logic lost_o,      // one cycle: a session ended
    output logic conflict_o   // the other end changed its mind: no session can come of this training
);

  logic live_q, resume_q, decided_q, keep_q;
  logic [15:0] id_q;
  logic keep, decides;

  // Decided before the first word of data, so that no frame speaks of the session before.
  assign keep = live_q && resume_q && peer_i.resume;
  assign decides = start_i && !decided_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q    <= 1'b0;
      resume_q  <= 1'b0;
      decided_q <= 1'b0;
      keep_q    <= 1'b0;
      id_q      <= '0;
    end else begin
      if (drop_i || (decides && !keep)) live_q <= 1'b0;
      else if (enter_l0_i) begin
        live_q <= 1'b1;
        id_q   <= peer_i.id;
      end
      // Never with another neighbour than before.
      if (enter_config_i) begin
        resume_q  <= live_q && !drop_i && peer_i.id == id_q;
        decided_q <= 1'b0;
      end else if (decides) begin
        decided_q <= 1'b1;
        keep_q    <= keep;
      end
    end
  end

  assign resume_o = resume_q;
  assign fresh_o = !live_q || (decides && !keep);
  assign lost_o = live_q && (drop_i || (decides && !keep));
  assign conflict_o = decided_q && keep_q && !peer_i.resume;

  logic unused;
  assign unused = ^peer_i;

endmodule
