#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/quantity.h"

namespace firstlight {

struct ZoneReading {
  Temperature raw;            // the last sample, plausible or not
  Temperature temperature;    // the last plausible sample
  bool valid = false;         // powered, settled and not faulty
  bool powered = false;       // the zone's rail is good
  bool alarm = false;         // the alarm filter is active
  bool trip = false;          // the trip filter is active
  std::string fault;          // "", "out of range", "sentinel", "stuck"
  std::uint32_t samples = 0;  // since forget_history(); saturates
  std::uint32_t changes = 0;  // samples that differed from the one before; saturates
  std::string text;           // raw, for the record
};

struct TripLatch {
  bool latched = false;
  std::string zone;
  Temperature temperature;
  bool sensor_fault = false;  // a faulty sensor tripped, not a temperature
  bool injected = false;      // the sample was a test value
  std::string text;
};

struct ThrottleState {
  bool active = false;
  std::vector<std::string> reasons;  // "core alarm", "software", "sensor fault", "dwell"
  double duty = 0;                   // share of the last window, 0 to 1
  std::uint32_t events = 0;
};

/// The chip's thermal unit. Zones have names ("core", "sram", "hbm", "serdes"); an unknown one throws FailureError
/// (bench).
class ChipThermal {
 public:
  static constexpr std::string_view kName = "thermal";

  ChipThermal() = default;
  ChipThermal(const ChipThermal&) = delete;
  ChipThermal& operator=(const ChipThermal&) = delete;
  virtual ~ChipThermal() = default;

  virtual std::string part(const std::string& zone) const = 0;
  virtual std::vector<std::string> zones() const = 0;
  /// The rail that feeds the zone and its heater, by its bench name.
  virtual std::string rail_of(const std::string& zone) const = 0;
  /// In bench time: how long until every zone has a new sample and its filters had the chance to act.
  virtual Duration sample_period() = 0;
  virtual Duration filter_time() = 0;

  /// The raw state, whatever it is.
  virtual ZoneReading read(const std::string& zone) = 0;
  /// The temperature, once a sensor that is still settling after its rail became good has settled; FailureError (dut)
  /// when the zone has no valid one: never a sentinel.
  virtual Temperature temperature(const std::string& zone) = 0;
  virtual void forget_history() = 0;

  virtual Temperature alarm_threshold(const std::string& zone) = 0;
  virtual void set_alarm_threshold(const std::string& zone, Temperature limit) = 0;
  virtual Temperature trip_threshold(const std::string& zone) = 0;
  virtual void set_trip_threshold(const std::string& zone, Temperature limit) = 0;
  virtual TripLatch trip_latch() = 0;
  /// Throws FailureError (dut) when the chip refuses, which it does while a zone is still hot.
  virtual void clear_trip() = 0;
  virtual ThrottleState throttle() = 0;

  /// Levels 0 to max_heater_level(); the power of one level is the bench's or the part's business.
  virtual int max_heater_level() const = 0;
  virtual void set_heater(const std::string& zone, int level) = 0;
  /// What the heater has, which is 0 when the chip holds it off (a latched trip, an invalid sensor).
  virtual int heater(const std::string& zone) = 0;

  /// Replaces the sensor by a test value; nothing ends it.
  virtual void inject(const std::string& zone, std::optional<Temperature> value) = 0;
};

}  // namespace firstlight
