// What software sees of the link: status, the events that count, interrupts, activity.
module link_observe
  import link_pkg::*;
  import link_regs_pkg::*;
  import tern_pkg::NumLanes;
(
    input logic clk_i,
    input logic rst_ni,

    input link_reg2hw_t cfg_i,

    input state_e     state_i,
    input state_e     from_i,
    input logic       moved_i,
    input cause_e     cause_i,
    input cause_e     last_failure_i,
    input logic [3:0] timeouts_i,

    input lanes_t                   active_i,     // logical
    input lanes_t                   active_rx_i,  // physical
    input logic                     reversed_i,
    input logic                     peer_heard_i,
    input set_t                     peer_i,
    input lanes_t                   idle_i,
    input lanes_t                   locked_i,
    input lanes_t                   inverted_i,
    input lanes_t                   heard_i,
    input logic [NumLanes-1:0][3:0] lane_i,
    input logic [NumLanes-1:0][3:0] offset_i,
    input logic [NumLanes-1:0][3:0] depth_i,      // logical

    // Events, one cycle each
    input logic   crc_error_i,
    input logic   sequence_error_i,
    input logic   duplicate_i,
    input logic   replay_i,
    input logic   nak_i,
    input logic   replay_timeout_i,
    input logic   session_lost_i,
    input logic   mismatch_i,
    input lanes_t lock_lost_i,
    input logic   marker_lost_i,
    input logic   deskew_overflow_i,
    input logic   unexpected_set_i,
    input bridge_events_t bridge_i,
    input logic   live_i,
    input logic   tx_flit_i,
    input logic   rx_flit_i,
    input lanes_t set_bad_i,
    input lanes_t marker_bad_i,  // logical
    input logic   prbs_lock_lost_i,
    input lanes_t tx_idle_i,

    output link_hw2reg_status_t                     status_o,
    output link_hw2reg_peer_t                       peer_o,
    output link_hw2reg_irq_status_t                 irq_set_o,
    output link_hw2reg_lane_status_t [NumLanes-1:0] lane_status_o,
    output logic [NumCounters-1:0]                  events_o,
    output logic [NumCounters-1:0]                  twice_o,  // the event happened twice in this cycle
    output logic                                    irq_o,
    output logic [3:0]                              activity_o
);

  lanes_t agreed, inverted;
  logic in_data, been_up_q, came_up;

  assign came_up = moved_i && state_i == StL0;
  assign in_data = state_i inside {StConfig, StL0};
  assign agreed = in_data ? active_i : '0;
  assign inverted = (cfg_i.ctrl.polarity_force & cfg_i.ctrl.polarity_value) | (~cfg_i.ctrl.polarity_force & inverted_i);

  always_comb begin
    status_o.state = state_i;
    status_o.up = state_i == StL0;
    status_o.width = 3'($countones(agreed));
    status_o.session = live_i;
    status_o.reversed = in_data && reversed_i;
    status_o.active_lanes = agreed;
    status_o.cause = cause_i;
    status_o.last_failure = last_failure_i;

    peer_o.id = peer_i.id;
    peer_o.rx_ok = peer_i.rx_ok;
    peer_o.mask = peer_i.mask;
    peer_o.max_width = peer_i.max_width;
    peer_o.heard = peer_heard_i;

    for (int unsigned l = 0; l < NumLanes; l++) begin
      lane_status_o[l].signal = !idle_i[l];
      lane_status_o[l].locked = locked_i[l];
      lane_status_o[l].inverted = inverted[l];
      lane_status_o[l].heard = heard_i[l];
      lane_status_o[l].lane = lane_i[l];
      lane_status_o[l].bit_offset = offset_i[l];
      lane_status_o[l].active = in_data && active_rx_i[l];
      lane_status_o[l].deskew = reversed_i ? depth_i[NumLanes-1-l] : depth_i[l];
    end
  end

  always_comb begin
    events_o = '0;
    events_o[CountCrcErrors] = crc_error_i;
    events_o[CountFramingErrors] = bridge_i.framing_error;
    events_o[CountSequenceErrors] = sequence_error_i;
    events_o[CountRxOverflows] = bridge_i.overflow;
    events_o[CountAlignmentLosses] = lock_lost_i != '0 || marker_lost_i;
    events_o[CountDeskewOverflows] = deskew_overflow_i;
    events_o[CountRecoveries] = moved_i && state_i == StRecovery && cause_i != CauseHotReset;
    events_o[CountDetectTimeouts] = timeouts_i[0];
    events_o[CountPollingTimeouts] = timeouts_i[1];
    events_o[CountConfigTimeouts] = timeouts_i[2];
    events_o[CountRecoveryTimeouts] = timeouts_i[3];
    events_o[CountUnexpectedSets] = unexpected_set_i;
    events_o[CountBridgeTimeouts] = bridge_i.timed_out != '0;
    events_o[CountBridgeRefusals] = bridge_i.refused != '0;
    events_o[CountSessionsLost] = session_lost_i;
    events_o[CountStaleResponses] = bridge_i.stale != '0;
    events_o[CountDroppedFlits] = bridge_i.dropped;
    events_o[CountTxFlits] = tx_flit_i;
    events_o[CountRxFlits] = rx_flit_i;
    events_o[CountReplays] = replay_i;
    events_o[CountNaks] = nak_i;
    events_o[CountReplayTimeouts] = replay_timeout_i;
    events_o[CountDuplicates] = duplicate_i;
    events_o[CountRetrains] = came_up && been_up_q;
    events_o[CountHotResets] = moved_i && state_i == StDetect && cause_i == CauseHotReset;
    events_o[CountLaneErrors+:4] = set_bad_i | (reversed_i ? reverse_lanes(marker_bad_i) : marker_bad_i);

    twice_o = '0;
    twice_o[CountBridgeTimeouts] = &bridge_i.timed_out;
    twice_o[CountBridgeRefusals] = &bridge_i.refused;
    twice_o[CountStaleResponses] = &bridge_i.stale;

    irq_set_o.up = came_up;
    irq_set_o.down = moved_i && from_i == StL0;
    irq_set_o.failed = moved_i && state_i == StDisabled && is_failure(cause_i);
    irq_set_o.crc_error = crc_error_i;
    irq_set_o.bridge = (bridge_i.timed_out | bridge_i.refused) != '0;
    irq_set_o.prbs_lock_lost = prbs_lock_lost_i;
    irq_set_o.identity = mismatch_i;
    irq_set_o.hot_reset = events_o[CountHotResets];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      irq_o      <= 1'b0;
      activity_o <= '0;
      been_up_q  <= 1'b0;
    end else begin
      if (came_up) been_up_q <= 1'b1;
      irq_o      <= (cfg_i.irq_status & cfg_i.irq_mask) != '0;
      activity_o <= 4'({3'($countones(~tx_idle_i)), 1'b0}) + (tx_flit_i ? 4'd4 : 4'd0) + (rx_flit_i ? 4'd3 : 4'd0);
    end
  end

  logic unused;
  assign unused = ^{cfg_i, peer_i};

endmodule
