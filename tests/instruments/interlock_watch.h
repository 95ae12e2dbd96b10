#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "lab/runner/scheduler.h"
#include "lab/transports/byte_stream.h"

namespace firstlight::instruments {

/// What an interlock does, beside whatever else happens on the bench: every 10 ms it asks its own instrument. Measures
/// how late it was woken, how late it had its answer, and how late the machine wakes a thread that has nothing to do
/// with the bench.
class InterlockWatch {
 public:
  static constexpr Duration kPeriod{10'000'000'000};

  /// In a fiber. @param sensor answers "MEAS:VOLT?" with a line
  InterlockWatch(Scheduler& time, ByteStream& sensor);
  InterlockWatch(const InterlockWatch&) = delete;
  InterlockWatch& operator=(const InterlockWatch&) = delete;
  /// Ends the fiber. @return false when it could not read its instrument
  bool stop();
  ~InterlockWatch();

  Duration worst() const { return worst_; }
  Duration worst_answer() const { return worst_answer_; }
  Duration worst_of_machine() const { return Duration(machine_.load()); }
  int samples() const { return samples_; }

 private:
  void watch();
  void watch_machine();

  Scheduler& time_;
  ByteStream& sensor_;
  Scheduler::Handle fiber_;
  Duration worst_{};
  Duration worst_answer_{};
  int samples_ = 0;
  bool blind_ = false;
  std::atomic<Duration::rep> machine_{0};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace firstlight::instruments
