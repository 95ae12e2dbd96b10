// Thermal unit: 4 zones, alarm and trip, throttle, test heaters. rtl/regs/thermal.yaml describes the registers. After reset, without any
// software, it samples the zones whose rails are good and drives the trip pin. Zone z sits on rail z + 1.
module thermal
  import tern_pkg::*;
  import thermal_pkg::*;
(
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  reg_req_t                      reg_req_i,
    output reg_rsp_t                      reg_rsp_o,
    input  temp_t    [NumZones-1:0]       zone_temp_i,   // synchronous to clk_i
    input  logic     [NumRails-1:0]       rail_good_i,
    output logic                          thermtrip_no,
    output logic                          alert_no,
    output logic                          throttle_o,
    output logic     [NumZones-1:0][ 3:0] heater_o,
    output logic                          irq_o
);

  thermal_regs_pkg::thermal_reg2hw_t reg2hw;
  thermal_regs_pkg::thermal_hw2reg_t hw2reg;

  thermal_regs i_regs (
      .clk_i,
      .rst_ni,
      .reg_req_i,
      .reg_rsp_o,
      .reg2hw_o(reg2hw),
      .hw2reg_i(hw2reg)
  );

  // Sample tick.
  logic [15:0] period_q;
  logic tick;
  assign tick = period_q + 16'd1 >= reg2hw.sample.period || period_q == '1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) period_q <= '0;
    else period_q <= tick ? '0 : period_q + 16'd1;
  end

  // Zones.
  config_t zone_config;
  assign zone_config = '{
          settle: reg2hw.sample.settle,
          alarm_n: reg2hw.filter.alarm_n,
          alarm_m: reg2hw.filter.alarm_m,
          trip_n: reg2hw.filter.trip_n,
          trip_m: reg2hw.filter.trip_m,
          alarm_hysteresis: reg2hw.hysteresis.alarm,
          trip_hysteresis: reg2hw.hysteresis.trip,
          min: reg2hw.plausible.min,
          max: reg2hw.plausible.max,
          sentinel: {reg2hw.sentinel[1].value, reg2hw.sentinel[0].value},
          sentinel_en: {reg2hw.sentinel[1].enable, reg2hw.sentinel[0].enable},
          bad_samples: reg2hw.policy.bad_samples,
          stuck_samples: reg2hw.policy.stuck_samples
      };

  zone_t [NumZones-1:0] zones;
  // Taken over once: what follows from a temperature does not hang on the pins.
  temp_t [NumZones-1:0] zone_temp_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) zone_temp_q <= '0;
    else zone_temp_q <= zone_temp_i;
  end
  for (genvar z = 0; z < int'(NumZones); z++) begin : g_zone
    thermal_zone i_zone (
        .clk_i,
        .rst_ni,
        .tick_i(tick),
        .rail_good_i(rail_good_i[z+1]),
        .temp_i(zone_temp_q[z]),
        .inject_i(reg2hw.inject[z].enable),
        .inject_temp_i(reg2hw.inject[z].value),
        .config_i(zone_config),
        .alarm_limit_i(reg2hw.alarm[z].limit),
        .trip_limit_i(reg2hw.trip[z].limit),
        .peak_clear_i(reg2hw.peak_clear.zones.pulse && reg2hw.peak_clear.zones.value[z]),
        .zone_o(zones[z])
    );
  end

  // Gathered.
  logic [NumZones-1:0] alarm, alarm_begins, trip, trip_begins, fault, fault_begins, injected;
  temp_t [NumZones-1:0] trip_temp, raw;
  temp_t hottest;
  logic [1:0] hottest_zone;
  logic hottest_valid;
  always_comb begin
    hottest = '0;
    hottest_zone = '0;
    hottest_valid = 1'b0;
    for (int z = 0; z < int'(NumZones); z++) begin
      alarm[z] = zones[z].alarm;
      alarm_begins[z] = zones[z].alarm_begins;
      trip[z] = zones[z].trip;
      trip_begins[z] = zones[z].trip_begins;
      fault[z] = zones[z].fault;
      fault_begins[z] = zones[z].fault_begins;
      injected[z] = reg2hw.inject[z].enable;
      trip_temp[z] = zones[z].trip_temp;
      raw[z] = zones[z].raw;
      if (zones[z].valid && (!hottest_valid || zones[z].temperature > hottest)) begin
        hottest = zones[z].temperature;
        hottest_zone = 2'(z);
        hottest_valid = 1'b1;
      end
    end
  end

  // Trip.
  logic trip_latched, trip_latches, trip_refused, trip_sensor_fault, trip_injected;
  logic [1:0] trip_zone;
  temp_t trip_first_temp;
  logic [47:0] trip_time;
  logic [15:0] trip_count;
  thermal_trip i_trip (
      .clk_i,
      .rst_ni,
      .begins_i(trip_begins),
      .hot_i(trip),
      .fault_i(fault & {NumZones{reg2hw.policy.fault_trips}}),
      .injected_i(injected),
      .temp_i(trip_temp),
      .raw_i(raw),
      .clear_i(reg2hw.trip_ctrl.clear.pulse && reg2hw.trip_ctrl.clear.value),
      .latched_o(trip_latched),
      .latches_o(trip_latches),
      .refused_o(trip_refused),
      .zone_o(trip_zone),
      .temp_o(trip_first_temp),
      .sensor_fault_o(trip_sensor_fault),
      .injected_o(trip_injected),
      .time_o(trip_time),
      .count_o(trip_count)
  );
  assign thermtrip_no = !trip_latched;

  // Throttle.
  logic [NumZones-1:0] throttle_zones;
  logic throttle_sensor, throttle_begins, throttle_dwelling;
  logic [31:0] throttle_cycles;
  logic [15:0] throttle_events, duty_windows;
  logic [12:0] duty_cycles;
  assign throttle_zones  = alarm & reg2hw.throttle.zones;
  assign throttle_sensor = fault != '0 && reg2hw.policy.fault_throttles;
  thermal_throttle i_throttle (
      .clk_i,
      .rst_ni,
      .zones_i(throttle_zones),
      .software_i(reg2hw.throttle.software),
      .sensor_i(throttle_sensor),
      .dwell_i(reg2hw.throttle.dwell),
      .clear_i(reg2hw.throttle.clear.pulse && reg2hw.throttle.clear.value),
      .active_o(throttle_o),
      .begins_o(throttle_begins),
      .dwelling_o(throttle_dwelling),
      .cycles_o(throttle_cycles),
      .events_o(throttle_events),
      .duty_o(duty_cycles),
      .windows_o(duty_windows)
  );

  assign alert_no = !(alarm != '0 || trip_latched || (fault != '0 && reg2hw.policy.fault_alerts));

  // Heaters.
  logic [NumZones-1:0][3:0] heater_levels;
  assign heater_levels = {reg2hw.heater.zone3, reg2hw.heater.zone2, reg2hw.heater.zone1, reg2hw.heater.zone0};
  always_comb begin
    for (int z = 0; z < int'(NumZones); z++)
      heater_o[z] = trip_latched || !zones[z].sensor_valid || !rail_good_i[z+1] ? '0 : heater_levels[z];
  end

  // Registers.
  always_comb begin
    hw2reg = '0;
    for (int z = 0; z < int'(NumZones); z++) begin
      hw2reg.zone[z].raw = zones[z].raw;
      hw2reg.zone[z].valid = zones[z].valid;
      hw2reg.zone[z].powered = zones[z].powered;
      hw2reg.zone[z].fault = zones[z].fault;
      hw2reg.zone[z].fault_range = zones[z].out_of_range;
      hw2reg.zone[z].temperature = zones[z].temperature;
      hw2reg.zone[z].fault_sentinel = zones[z].sentinel;
      hw2reg.zone[z].fault_stuck = zones[z].stuck;
      hw2reg.zone[z].alarm = zones[z].alarm;
      hw2reg.zone[z].trip = zones[z].trip;
      hw2reg.peak[z].temperature = zones[z].peak;
      hw2reg.peak[z].valid = zones[z].peak_valid;
      hw2reg.changes[z].samples = zones[z].samples;
      hw2reg.changes[z].count = zones[z].changes;
    end
    hw2reg.hottest.temperature = hottest;
    hw2reg.hottest.zone = hottest_zone;
    hw2reg.hottest.valid = hottest_valid;
    hw2reg.throttle_reason.zones = throttle_zones;
    hw2reg.throttle_reason.software = reg2hw.throttle.software;
    hw2reg.throttle_reason.sensor = throttle_sensor;
    hw2reg.throttle_reason.dwell = throttle_dwelling;
    hw2reg.throttle_reason.active = throttle_o;
    hw2reg.throttle_reason.seen_zones = throttle_zones;
    hw2reg.throttle_reason.seen_software = reg2hw.throttle.software;
    hw2reg.throttle_reason.seen_sensor = throttle_sensor;
    hw2reg.throttle_cycles.value = throttle_cycles;
    hw2reg.throttle_events.value = throttle_events;
    hw2reg.duty.cycles = duty_cycles;
    hw2reg.duty.windows = duty_windows;
    hw2reg.heater_actual.levels = heater_o;
    hw2reg.trip_status.temperature = trip_first_temp;
    hw2reg.trip_status.zone = trip_zone;
    hw2reg.trip_status.sensor_fault = trip_sensor_fault;
    hw2reg.trip_status.injected = trip_injected;
    hw2reg.trip_status.clear_refused = trip_refused;
    hw2reg.trip_status.latched = trip_latched;
    hw2reg.trip_time_lo.value = trip_time[31:0];
    hw2reg.trip_time_hi.value = trip_time[47:32];
    hw2reg.trip_count.value = trip_count;
    hw2reg.irq_status.alarm = alarm_begins;
    hw2reg.irq_status.sensor_fault = fault_begins;
    hw2reg.irq_status.trip = trip_latches;
    hw2reg.irq_status.throttle = throttle_begins;
  end

  assign irq_o = |(reg2hw.irq_status & reg2hw.irq_enable);

  logic unused;
  assign unused = ^{rail_good_i[RailAon], reg2hw};

`ifndef SYNTHESIS
  assert property (@(posedge clk_i) disable iff (!rst_ni) !thermtrip_no |-> heater_o == '0)
  else $error("a heater is on while tripped");
`endif

endmodule
