// Snapshot of the first fault and a counter for each cause. A real and an injected fault take the same path.
module power_fault
  import power_pkg::*;
(
    input  logic              clk_i,
    input  logic              rst_ni,
    input  causes_t           events_i,       // real faults of this cycle
    input  logic        [2:0] brownout_rail_i,
    input  logic        [2:0] missing_rail_i,
    input  logic              inject_i,
    input  logic        [3:0] inject_cause_i,
    input  logic        [2:0] inject_rail_i,
    input  state_e            state_i,
    input  rails_t            rails_before_i,
    input  rails_t            rails_i,
    input  time_t             now_i,
    input  logic              clear_fault_i,
    input  logic              clear_counts_i,
    output logic              fault_o,        // pulse: any fault, first or secondary
    output logic              injected_o,     // pulse: an injected one
    output logic              valid_o,
    output snapshot_t         snapshot_o,
    output logic        [NumCauses-1:0][15:0] counts_o,
    output logic [15:0]       secondary_o
);

  logic inject;
  causes_t injected, events, shown;
  cause_e cause;
  logic [2:0] rail;
  snapshot_t snapshot_d;

  assign inject = inject_i && inject_cause_i != '0 && inject_cause_i <= 4'(NumCauses);
  always_comb begin
    injected = '0;
    for (int c = 0; c < int'(NumCauses); c++) injected[c] = inject && inject_cause_i == 4'(c + 1);
  end
  assign events = events_i | injected;

  always_comb begin
    // What is real is reported before what is injected.
    shown = events_i != '0 ? events_i : injected;
    cause = CauseNone;
    for (int c = int'(NumCauses) - 1; c >= 0; c--) if (shown[c]) cause = cause_e'(4'(c + 1));
    if (events_i == '0) rail = inject_rail_i;
    else if (cause == CauseBrownout) rail = brownout_rail_i;
    else if (cause == CauseRailTimeout) rail = missing_rail_i;
    else rail = NoRail;
    snapshot_d = '{
        cause: cause,
        rail: rail,
        state: state_i,
        rails_before: rails_before_i,
        rails_after: rails_i,
        injected: events_i == '0,
        at: now_i
    };
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
      snapshot_o <= '0;
      counts_o <= '0;
      secondary_o <= '0;
    end else begin
      // A fault in the cycle of a clear is a new first one.
      if (fault_o && (!valid_o || clear_fault_i)) begin
        valid_o <= 1'b1;
        snapshot_o <= snapshot_d;
      end else if (clear_fault_i) begin
        valid_o <= 1'b0;
        snapshot_o <= '0;
      end
      if (clear_counts_i) secondary_o <= '0;
      else if (fault_o && valid_o && !clear_fault_i && secondary_o != '1) secondary_o <= secondary_o + 16'd1;
      for (int c = 0; c < int'(NumCauses); c++) begin
        if (clear_counts_i) counts_o[c] <= '0;
        else if (events[c] && counts_o[c] != '1) counts_o[c] <= counts_o[c] + 16'd1;
      end
    end
  end

  assign fault_o = events != '0;
  assign injected_o = inject;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) fault_o |=> valid_o)
  else $error("a fault left no snapshot");
  assert property (@(posedge clk_i) disable iff (!rst_ni) valid_o && !clear_fault_i |=> valid_o && $stable(snapshot_o))
  else $error("a snapshot changed");
`endif

endmodule
