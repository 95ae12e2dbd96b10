#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "lab/core/bench_time.h"

namespace firstlight {

/// Bench time on hardware: the monotonic clock, from the construction on.
class WallTimeSource final : public TimeSource {
 public:
  WallTimeSource() = default;
  /// From another moment on: that of another process on this machine.
  explicit WallTimeSource(std::chrono::steady_clock::time_point start) : start_(start) {}
  Instant now() const override;
  void advance(Instant until) override;
  void interrupt() override;  // from any thread

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable wake_;
  bool interrupted_ = false;
};

}  // namespace firstlight
