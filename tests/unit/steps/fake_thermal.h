#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "lab/capabilities/chip_thermal.h"
#include "lab/core/failure.h"
#include "tests/unit/drivers/fake_time.h"

namespace firstlight::test {

/// Four zones over a cold plate, one time constant each, sampled in steps of 0.125 K.
class FakeThermal final : public ChipThermal {
 public:
  explicit FakeThermal(FakeTime& time) : time_(time) {
    for (const char* zone : {"core", "sram", "hbm", "serdes"}) {
      order_.emplace_back(zone);
      state_[zone];
    }
  }

  struct Zone {
    double resistance = 0.4;  // K/W
    int level = 0;
    double since = 0;  // s, of the last change
    double from = 0;   // K above coolant at that time
    Temperature alarm{95};
    Temperature trip{110};
    bool stuck = false;
    std::string fault;
    double drift = 0;  // K/s, never settles
  };
  Zone& zone(const std::string& name) { return state_.at(name); }
  bool trip_pin() const { return latch_.latched && pin_works; }
  bool pin_works = true;
  bool filter_works = true;
  bool refuses_clear = false;
  bool heater_refused = false;
  std::map<std::string, int> heat_calls;

  /// K above the coolant.
  double rise(const std::string& name) const {
    const Zone& z = state_.at(name);
    const double t = seconds(time_.now()) - z.since;
    const double end = 10 * 0.4 + z.level * z.resistance;
    return end + (z.from - end) * std::exp(-t / 0.15) + z.drift * t;
  }

  std::string part(const std::string& zone) const override { return "tern zone " + zone; }
  std::vector<std::string> zones() const override { return order_; }
  std::string rail_of(const std::string& zone) const override { return "vdd_" + zone; }
  Duration sample_period() override { return Duration{3'200'000'000}; }
  Duration filter_time() override { return Duration{12'800'000'000}; }
  ZoneReading read(const std::string& name) override {
    judge_trip();
    const Zone& z = state_.at(name);
    ZoneReading reading;
    const double value = z.stuck ? 34 : 30 + rise(name);
    reading.raw = reading.temperature = Temperature(std::round(value * 8) / 8);
    reading.fault = z.fault;
    reading.powered = true;
    reading.valid = z.fault.empty();
    reading.samples = 100;
    reading.changes = z.stuck ? 0 : 50;
    return reading;
  }
  Temperature temperature(const std::string& name) override {
    const ZoneReading reading = read(name);
    if (!reading.valid) throw FailureError({ErrorClass::dut, "sensor_invalid", "zone " + name, part(name), {}, {}, {}});
    return reading.temperature;
  }
  void forget_history() override {}
  Temperature alarm_threshold(const std::string& name) override { return zone(name).alarm; }
  void set_alarm_threshold(const std::string& name, Temperature limit) override { zone(name).alarm = limit; }
  Temperature trip_threshold(const std::string& name) override { return zone(name).trip; }
  void set_trip_threshold(const std::string& name, Temperature limit) override {
    zone(name).trip = limit;
    judge_trip();
  }
  TripLatch trip_latch() override { return latch_; }
  void clear_trip() override {
    if (refuses_clear) throw FailureError({ErrorClass::dut, "trip_clear_refused", "refused", "tern", {}, {}, {}});
    latch_ = {};
  }
  ThrottleState throttle() override { return {}; }
  int max_heater_level() const override { return 15; }
  void set_heater(const std::string& name, int level) override {
    Zone& z = zone(name);
    z.from = rise(name);
    z.since = seconds(time_.now());
    z.level = heater_refused ? 0 : level;
    ++heat_calls[name];
  }
  int heater(const std::string& name) override { return zone(name).level; }
  void inject(const std::string&, std::optional<Temperature>) override {}

 private:
  void judge_trip() {
    if (!filter_works) return;
    for (const std::string& name : order_)
      if (!latch_.latched && 30 + rise(name) > zone(name).trip.base())
        latch_ = {true, name, Temperature(30 + rise(name)), false, false, "latched"};
  }

  FakeTime& time_;
  std::vector<std::string> order_;
  std::map<std::string, Zone> state_;
  TripLatch latch_;
};

}  // namespace firstlight::test
