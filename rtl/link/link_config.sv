// What two ends must agree on before data: which lane is which, whether the lanes are reversed, which of them to use.
module link_config
  import link_pkg::*;
  import tern_pkg::NumLanes;
(
    input logic clk_i,
    input logic rst_ni,

    input logic       enter_i,            // one cycle: freeze what is heard and begin to agree
    input logic       active_state_i,     // CONFIG
    input logic       allow_reversal_i,
    input logic [1:0] max_width_i,

    input lanes_t                    locked_i,  // physical
    input logic [NumLanes-1:0][3:0]  lane_i,    // number in the last set of each physical lane
    input lanes_t                    set_valid_i,
    input set_t   [NumLanes-1:0]     set_i,

    output logic       map_known_o,         // the locked lanes are in order, straight or reversed
    output logic       map_reversed_o,
    output logic       reversed_o,          // frozen
    output lanes_t     rx_ok_o,             // frozen; logical lanes
    output lanes_t     mask_o,              // logical lanes to use; 0 until the peer has spoken
    output logic       agreed_o,
    output logic       no_common_o,
    output logic       start_o,             // both ends have agreed
    output logic       peer_heard_o,
    output set_t       peer_o               // the last set from any lane
);

  localparam logic [5:0] AgreeCycles = 6'd40;  // the peer sees at least four sets that say "agreed"

  logic reversed_q, spoken_q, peer_heard_q;
  lanes_t rx_ok_q, mask_q, mask_d;
  set_t peer_q, set;
  logic [5:0] agree_q;
  logic straight, reversed, any, counts;

  always_comb begin
    straight = 1'b1;
    reversed = 1'b1;
    set = set_i[0];
    for (int unsigned p = 0; p < NumLanes; p++) begin
      if (locked_i[p] && lane_i[p] != 4'(p)) straight = 1'b0;
      if (locked_i[p] && lane_i[p] != 4'(NumLanes - 1 - p)) reversed = 1'b0;
    end
    for (int unsigned p = 0; p < NumLanes; p++)
      if (set_valid_i[NumLanes-1-p]) set = set_i[NumLanes-1-p];
  end
  assign any = set_valid_i != '0;
  assign map_known_o = straight || reversed;
  assign map_reversed_o = reversed && !straight;
  assign counts = active_state_i && any && (set.kind == SetTs2 || set.kind == SetStart);
  assign mask_d = choose_lanes(rx_ok_q & set.rx_ok, max_width_i < set.max_width ? max_width_i : set.max_width);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reversed_q   <= 1'b0;
      spoken_q     <= 1'b0;
      peer_heard_q <= 1'b0;
      rx_ok_q      <= '0;
      mask_q       <= '0;
      peer_q       <= '0;
      agree_q      <= '0;
    end else begin
      if (any) begin
        peer_q       <= set;
        peer_heard_q <= 1'b1;
      end
      if (enter_i) begin
        reversed_q <= map_reversed_o && allow_reversal_i;
        rx_ok_q    <= map_reversed_o ? reverse_lanes(locked_i) : locked_i;
        spoken_q   <= 1'b0;
        mask_q     <= '0;
        agree_q    <= '0;
      end else if (counts && !start_o) begin
        spoken_q <= 1'b1;
        mask_q   <= mask_d;
        if (mask_q != mask_d) agree_q <= '0;
        else if (agree_q != AgreeCycles) agree_q <= agree_q + 6'd1;
      end else if (active_state_i && agree_q != '0 && agree_q != AgreeCycles) agree_q <= agree_q + 6'd1;
    end
  end

  assign reversed_o = reversed_q;
  assign rx_ok_o = rx_ok_q;
  assign mask_o = mask_q;
  assign agreed_o = spoken_q && mask_q != '0;
  assign no_common_o = active_state_i && spoken_q && mask_q == '0;
  assign start_o = active_state_i && agreed_o && agree_q == AgreeCycles && peer_q.agreed && peer_q.mask == mask_q;
  assign peer_heard_o = peer_heard_q;
  assign peer_o = peer_q;

endmodule
