// The trip latch, which needs no software, and the snapshot of the first trip.
module thermal_trip
  import tern_pkg::temp_t;
  import tern_pkg::NumZones;
(
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic  [NumZones-1:0] begins_i,    // a zone's trip filter becomes active
    input  logic  [NumZones-1:0] hot_i,       // a zone's trip filter is active
    input  logic  [NumZones-1:0] fault_i,     // a faulty sensor that trips by policy
    input  logic  [NumZones-1:0] injected_i,
    input  temp_t [NumZones-1:0] temp_i,      // the sample, with begins_i
    input  temp_t [NumZones-1:0] raw_i,       // the last sample, with fault_i
    input  logic                 clear_i,
    output logic                 latched_o,
    output logic                 latches_o,
    output logic                 refused_o,
    output logic  [         1:0] zone_o,
    output temp_t                temp_o,
    output logic                 sensor_fault_o,
    output logic                 injected_o,
    output logic  [        47:0] time_o,
    output logic  [        15:0] count_o
);

  logic [NumZones-1:0] fault_q, fault_begins, cause;
  logic [47:0] now_q;
  logic latched_q, may_clear;
  logic [1:0] zone;
  logic [2:0] events;
  logic [16:0] count_d;

  assign fault_begins = fault_i & ~fault_q;
  assign cause = begins_i | fault_begins;
  assign may_clear = (hot_i | fault_i | cause) == '0;

  always_comb begin
    zone   = '0;
    events = '0;
    for (int z = int'(NumZones) - 1; z >= 0; z--) if (cause[z]) zone = 2'(z);
    for (int z = 0; z < int'(NumZones); z++) events += 3'(cause[z]);
  end
  assign count_d = {1'b0, count_o} + 17'(events);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fault_q <= '0;
      now_q <= '0;
      latched_q <= 1'b0;
      zone_o <= '0;
      temp_o <= '0;
      sensor_fault_o <= 1'b0;
      injected_o <= 1'b0;
      time_o <= '0;
      count_o <= '0;
    end else begin
      fault_q <= fault_i;
      now_q   <= now_q + 48'd1;
      count_o <= count_d[16] ? '1 : count_d[15:0];
      if (latches_o) begin
        latched_q <= 1'b1;
        zone_o <= zone;
        temp_o <= begins_i[zone] ? temp_i[zone] : raw_i[zone];
        sensor_fault_o <= !begins_i[zone];
        injected_o <= injected_i[zone];
        time_o <= now_q;
      end else if (clear_i && may_clear) begin
        latched_q <= 1'b0;
      end
    end
  end

  assign latched_o = latched_q;
  assign latches_o = !latched_q && cause != '0;
  assign refused_o = clear_i && latched_q && !may_clear;

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) begins_i != '0 |=> latched_o)
  else $error("a trip was not latched");
  assert property (@(posedge clk_i) disable iff (!rst_ni) latched_o && !clear_i |=> latched_o)
  else $error("a trip went away by itself");
  assert property (@(posedge clk_i) disable iff (!rst_ni) latched_o && hot_i != '0 |=> latched_o)
  else $error("a trip was cleared while hot");
`endif

endmodule
