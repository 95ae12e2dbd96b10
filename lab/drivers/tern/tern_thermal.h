#pragma once

#include <string>
#include <vector>

#include "lab/capabilities/chip_thermal.h"
#include "lab/capabilities/registers.h"
#include "lab/core/bench_time.h"
#include "lab/drivers/tern/tern_clock.h"

namespace firstlight::tern {

/// Tern's thermal unit, through the registers of block `thermal`.
class TernThermal : public ChipThermal {
 public:
  struct Zone {
    std::string name;  // "core"
    std::string rail;  // bench name of the rail it sits on
  };
  TernThermal(std::string name, Registers& registers, BenchTime& time, TernClock clock, std::vector<Zone> zones);

  std::string part(const std::string& zone) const override;
  std::vector<std::string> zones() const override;
  std::string rail_of(const std::string& zone) const override;
  Duration sample_period() override;
  Duration filter_time() override;
  ZoneReading read(const std::string& zone) override;
  Temperature temperature(const std::string& zone) override;
  void forget_history() override;
  Temperature alarm_threshold(const std::string& zone) override;
  void set_alarm_threshold(const std::string& zone, Temperature limit) override;
  Temperature trip_threshold(const std::string& zone) override;
  void set_trip_threshold(const std::string& zone, Temperature limit) override;
  TripLatch trip_latch() override;
  void clear_trip() override;
  ThrottleState throttle() override;
  int max_heater_level() const override { return 15; }
  void set_heater(const std::string& zone, int level) override;
  int heater(const std::string& zone) override;
  void inject(const std::string& zone, std::optional<Temperature> value) override;

  /// The hottest valid zone; FailureError (dut) when none is valid.
  Temperature hottest();

 private:
  std::size_t index(const std::string& zone) const;
  /// The zone once it is no longer settling, or as it is after the time that settling takes.
  ZoneReading settled(const std::string& zone);
  Temperature threshold(const char* bank, const std::string& zone);
  void set_threshold(const char* bank, const std::string& zone, Temperature limit);

  std::string name_;
  Registers& registers_;
  BenchTime& time_;
  TernClock clock_;
  std::vector<Zone> zones_;
};

}  // namespace firstlight::tern
