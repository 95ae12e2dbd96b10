// One zone: validity, plausibility, alarm and trip filters, peak. An implausible sample reaches no filter: it neither heats nor cools,
// and enough of them in a row make the sensor faulty. A zone without power has no temperature: its filters are forgotten.
module thermal_zone
  import tern_pkg::temp_t;
  import thermal_pkg::*;
(
    input  logic    clk_i,
    input  logic    rst_ni,
    input  logic    tick_i,        // take a sample
    input  logic    rail_good_i,
    input  temp_t   temp_i,
    input  logic    inject_i,      // inject_temp_i is the sample
    input  temp_t   inject_temp_i,
    input  config_t config_i,
    input  temp_t   alarm_limit_i,
    input  temp_t   trip_limit_i,
    input  logic    peak_clear_i,
    output zone_t   zone_o
);

  logic present, settled, take, out_of_range, is_sentinel, plausible, same, fault_d, injected_q;
  temp_t value;
  logic [3:0] settle_q, bad_q, bad_d, bad_limit;
  logic [11:0] equal_q, equal_d;
  zone_t zone_d, zone_q;
  logic sampled_q;  // raw holds a sample to compare with
  logic stuck_d;

  assign present = rail_good_i || inject_i;
  assign settled = inject_i || settle_q >= config_i.settle;
  assign take = tick_i && present && settled;
  assign value = inject_i ? inject_temp_i : temp_i;

  always_comb begin
    out_of_range = value < config_i.min || value > config_i.max;
    is_sentinel  = 1'b0;
    for (int s = 0; s < 2; s++) if (config_i.sentinel_en[s] && value == config_i.sentinel[s]) is_sentinel = 1'b1;
    plausible = !out_of_range && !is_sentinel;
    same = sampled_q && value == zone_q.raw;
    bad_limit = config_i.bad_samples == 4'd0 ? 4'd1 : config_i.bad_samples;
    bad_d = plausible ? 4'd0 : bad_q == 4'd15 ? bad_q : bad_q + 4'd1;
    equal_d = !same ? 12'd1 : equal_q == '1 ? equal_q : equal_q + 12'd1;
    stuck_d = config_i.stuck_samples != '0 && equal_d >= config_i.stuck_samples;
    fault_d = bad_d >= bad_limit || stuck_d;
  end

  // A change of source is a new sensor.
  logic forget;
  assign forget = !present || inject_i != injected_q;

  logic filter_sample, alarm, alarm_begins, trip, trip_begins;
  assign filter_sample = take && plausible && !forget;
  thermal_filter i_alarm (
      .clk_i,
      .rst_ni,
      .clear_i(forget),
      .sample_i(filter_sample),
      .temp_i(value),
      .limit_i(alarm_limit_i),
      .hysteresis_i(config_i.alarm_hysteresis),
      .n_i(config_i.alarm_n),
      .m_i(config_i.alarm_m),
      .active_o(alarm),
      .begins_o(alarm_begins)
  );
  thermal_filter i_trip (
      .clk_i,
      .rst_ni,
      .clear_i(forget),
      .sample_i(filter_sample),
      .temp_i(value),
      .limit_i(trip_limit_i),
      .hysteresis_i(config_i.trip_hysteresis),
      .n_i(config_i.trip_n),
      .m_i(config_i.trip_m),
      .active_o(trip),
      .begins_o(trip_begins)
  );

  always_comb begin
    zone_d = zone_q;
    zone_d.powered = rail_good_i;
    zone_d.fault_begins = 1'b0;
    if (forget) begin
      zone_d.valid = 1'b0;
      zone_d.fault = 1'b0;
      zone_d.out_of_range = 1'b0;
      zone_d.sentinel = 1'b0;
      zone_d.stuck = 1'b0;
    end else if (take) begin
      zone_d.raw = value;
      zone_d.out_of_range = out_of_range;
      zone_d.sentinel = is_sentinel;
      zone_d.stuck = stuck_d;
      zone_d.fault = fault_d;
      zone_d.fault_begins = fault_d && !zone_q.fault;
      zone_d.valid = !fault_d && (plausible || zone_q.valid);
      if (plausible) begin
        zone_d.temperature = value;
        zone_d.peak = !zone_q.peak_valid || value > zone_q.peak ? value : zone_q.peak;
        zone_d.peak_valid = 1'b1;
      end
      if (zone_q.samples != '1) zone_d.samples = zone_q.samples + 16'd1;
      if (sampled_q && !same && zone_q.changes != '1) zone_d.changes = zone_q.changes + 16'd1;
    end
    if (peak_clear_i) begin
      zone_d.peak_valid = 1'b0;
      zone_d.samples = '0;
      zone_d.changes = '0;
    end
    zone_d.sensor_valid = zone_d.valid && !inject_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      zone_q <= '0;
      settle_q <= '0;
      bad_q <= '0;
      equal_q <= '0;
      sampled_q <= 1'b0;
      injected_q <= 1'b0;
    end else begin
      zone_q <= zone_d;
      injected_q <= inject_i;
      if (!rail_good_i) settle_q <= '0;
      else if (tick_i && settle_q < config_i.settle) settle_q <= settle_q + 4'd1;
      if (forget) begin
        bad_q <= '0;
        equal_q <= '0;
        sampled_q <= 1'b0;
      end else if (take) begin
        bad_q <= bad_d;
        equal_q <= equal_d;
        sampled_q <= 1'b1;
      end
    end
  end

  always_comb begin
    zone_o = zone_q;
    zone_o.alarm = alarm;
    zone_o.alarm_begins = alarm_begins;
    zone_o.trip = trip;
    zone_o.trip_begins = trip_begins;
    zone_o.trip_temp = value;
  end

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) zone_q.sensor_valid |-> zone_q.powered)
  else $error("a sensor without power is called valid");
  assert property (@(posedge clk_i) disable iff (!rst_ni) !(zone_q.valid && zone_q.fault))
  else $error("a sensor is both valid and faulty");
`endif

endmodule
