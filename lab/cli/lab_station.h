#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "lab/runner/station.h"

namespace firstlight::cli {

/// What makes time pass on the table: the wall clock, or what the bench file's `time_base` publishes.
/// @param epoch of bench time, on the monotonic clock
std::unique_ptr<TimeSource> make_time_source(const BenchPlan& plan, std::chrono::steady_clock::time_point epoch);

/// The table in the lab. The transports are those that this build has; a resource whose
/// kind has none is a failure of class infrastructure when it is opened.
std::unique_ptr<Station> make_lab_station(const BenchPlan& plan, std::uint64_t seed);

/// The same table beside a run that has it already.
class SecondStation {
 public:
  SecondStation() = default;
  SecondStation(const SecondStation&) = delete;
  SecondStation& operator=(const SecondStation&) = delete;
  virtual ~SecondStation() = default;

  virtual TimeSource& time_source() = 0;
  /// Connects, in a fiber, whatever can be shared; what only one program may have at a time (a serial line) is left for
  /// `held`. @return what could not be connected, in words; empty when nothing
  virtual std::string connect_early(BenchTime& time) = 0;
  /// Gives what was connected early, once, and connects the rest.
  virtual TransportProvider& held() = 0;
  /// Connects everything anew.
  virtual TransportProvider& anew() = 0;
};

/// @param epoch of bench time, on the monotonic clock: that of the run
std::unique_ptr<SecondStation> make_second_station(const BenchPlan& plan, std::chrono::nanoseconds epoch);

}  // namespace firstlight::cli
