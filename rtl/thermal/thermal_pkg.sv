// Types inside the thermal unit.
package thermal_pkg;
  import tern_pkg::temp_t;

  // What all zones share.
  typedef struct packed {
    logic [3:0]  settle;
    logic [3:0]  alarm_n;
    logic [3:0]  alarm_m;
    logic [3:0]  trip_n;
    logic [3:0]  trip_m;
    logic [11:0] alarm_hysteresis;
    logic [11:0] trip_hysteresis;
    temp_t       min;
    temp_t       max;
    temp_t [1:0] sentinel;
    logic [1:0]  sentinel_en;
    logic [3:0]  bad_samples;
    logic [11:0] stuck_samples;
  } config_t;

  typedef struct packed {
    temp_t       raw;
    temp_t       temperature;
    logic        powered;
    logic        valid;         // powered, settled, had a plausible sample, not faulty
    logic        sensor_valid;  // the same, and the sample is the zone's own
    logic        fault;
    logic        fault_begins;
    logic        out_of_range;
    logic        sentinel;
    logic        stuck;
    logic        alarm;
    logic        alarm_begins;
    logic        trip;
    logic        trip_begins;
    temp_t       trip_temp;     // with trip_begins: the sample that did it
    temp_t       peak;
    logic        peak_valid;
    logic [15:0] samples;
    logic [15:0] changes;
  } zone_t;
endpackage
