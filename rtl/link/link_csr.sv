// The register block of the link: what it offers to hardware, and what hardware shows in it.
module link_csr
  import link_pkg::*;
  import link_regs_pkg::*;
  import tern_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    input  reg_req_t reg_req_i,
    output reg_rsp_t reg_rsp_o,

    output link_reg2hw_t reg2hw_o,

    input link_hw2reg_status_t                     status_i,
    input link_hw2reg_peer_t                       peer_i,
    input link_hw2reg_peer_serial_lo_t             peer_serial_lo_i,
    input link_hw2reg_peer_serial_hi_t             peer_serial_hi_i,
    input link_hw2reg_irq_status_t                 irq_i,
    input link_hw2reg_lane_status_t [NumLanes-1:0] lane_status_i,

    // PRBS, as of the last snapshot; the status is live.
    input link_hw2reg_prbs_status_t [NumLanes-1:0] prbs_status_i,
    input logic [NumLanes-1:0][63:0]               prbs_bits_i,
    input logic [NumLanes-1:0][31:0]               prbs_errors_i,

    input link_hw2reg_eye_status_t eye_status_i,
    input link_hw2reg_eye_bits_t   eye_bits_i,
    input link_hw2reg_eye_errors_t eye_errors_i,

    // What is traced and counted here.
    input logic                   moved_i,
    input state_e                 from_i,
    input state_e                 state_i,
    input cause_e                 cause_i,
    input logic [NumCounters-1:0] events_i,
    input logic [NumCounters-1:0] twice_i
);

  link_hw2reg_t hw2reg;
  link_reg2hw_t reg2hw;
  logic [5:0] trace_next;
  logic [6:0] trace_entries;
  logic [15:0] trace_wraps;
  reg_req_t trace_req;
  reg_rsp_t trace_rsp;
  logic [31:0] now;
  logic [NumCounters-1:0][31:0] counters;

  link_trace u_trace (
      .clk_i,
      .rst_ni,
      .clear_i(reg2hw.command.clear_trace.pulse && reg2hw.command.clear_trace.value),
      .moved_i,
      .from_i,
      .to_i(state_i),
      .cause_i,
      .time_o(now),
      .next_o(trace_next),
      .count_o(trace_entries),
      .wraps_o(trace_wraps),
      .req_i(trace_req),
      .rsp_o(trace_rsp)
  );

  event_counters #(
      .Count(NumCounters)
  ) u_counters (
      .clk_i,
      .rst_ni,
      .clear_i(reg2hw.command.clear_counters.pulse && reg2hw.command.clear_counters.value),
      .event_i(events_i),
      .twice_i,
      .count_o(counters)
  );

  always_comb begin
    hw2reg.status = status_i;
    hw2reg.peer = peer_i;
    hw2reg.peer_serial_lo = peer_serial_lo_i;
    hw2reg.peer_serial_hi = peer_serial_hi_i;
    hw2reg.irq_status = irq_i;
    hw2reg.lane_status = lane_status_i;
    hw2reg.trace_status.next = trace_next;
    hw2reg.trace_status.entries = trace_entries;
    hw2reg.trace_status.wraps = trace_wraps;
    hw2reg.now.cycles = now;
    hw2reg.prbs_status = prbs_status_i;
    hw2reg.eye_status = eye_status_i;
    hw2reg.eye_bits = eye_bits_i;
    hw2reg.eye_errors = eye_errors_i;
    for (int unsigned l = 0; l < NumLanes; l++) begin
      hw2reg.prbs_bits_lo[l].bits = prbs_bits_i[l][31:0];
      hw2reg.prbs_bits_hi[l].bits = prbs_bits_i[l][63:32];
      hw2reg.prbs_errors[l].errors = prbs_errors_i[l];
      hw2reg.lane_errors[l].count = counters[CountLaneErrors+l];
    end
    hw2reg.crc_errors.count = counters[CountCrcErrors];
    hw2reg.framing_errors.count = counters[CountFramingErrors];
    hw2reg.sequence_errors.count = counters[CountSequenceErrors];
    hw2reg.rx_overflows.count = counters[CountRxOverflows];
    hw2reg.alignment_losses.count = counters[CountAlignmentLosses];
    hw2reg.deskew_overflows.count = counters[CountDeskewOverflows];
    hw2reg.recoveries.count = counters[CountRecoveries];
    hw2reg.detect_timeouts.count = counters[CountDetectTimeouts];
    hw2reg.polling_timeouts.count = counters[CountPollingTimeouts];
    hw2reg.config_timeouts.count = counters[CountConfigTimeouts];
    hw2reg.recovery_timeouts.count = counters[CountRecoveryTimeouts];
    hw2reg.unexpected_sets.count = counters[CountUnexpectedSets];
    hw2reg.bridge_timeouts.count = counters[CountBridgeTimeouts];
    hw2reg.bridge_refusals.count = counters[CountBridgeRefusals];
    hw2reg.sessions_lost.count = counters[CountSessionsLost];
    hw2reg.stale_responses.count = counters[CountStaleResponses];
    hw2reg.dropped_flits.count = counters[CountDroppedFlits];
    hw2reg.tx_flits.count = counters[CountTxFlits];
    hw2reg.rx_flits.count = counters[CountRxFlits];
    hw2reg.replays.count = counters[CountReplays];
    hw2reg.naks.count = counters[CountNaks];
    hw2reg.replay_timeouts.count = counters[CountReplayTimeouts];
    hw2reg.duplicates.count = counters[CountDuplicates];
    hw2reg.retrains.count = counters[CountRetrains];
    hw2reg.hot_resets.count = counters[CountHotResets];
  end

  link_regs u_regs (
      .clk_i,
      .rst_ni,
      .reg_req_i,
      .reg_rsp_o,
      .reg2hw_o(reg2hw),
      .hw2reg_i(hw2reg),
      .trace_req_o(trace_req),
      .trace_rsp_i(trace_rsp)
  );

  assign reg2hw_o = reg2hw;

endmodule
