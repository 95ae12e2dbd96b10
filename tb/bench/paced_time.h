#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "lab/core/bench_time.h"

namespace tb {

/// SystemC time that follows the wall clock: the model sleeps while it is ahead, and is brought up to the present
/// before anything that came from outside is looked at. When it falls behind by more than a moment (a busy machine, a
/// stopped process) it does not race: that time is lost to it, and counted.
class PacedTime : public firstlight::TimeSource {
 public:
  firstlight::Instant now() const override;
  void advance(firstlight::Instant until) override;
  void interrupt() override;  // from any thread

  /// Wall time that the model has slept through or could not keep up with.
  firstlight::Duration slipped() const { return slipped_; }

 private:
  using Clock = std::chrono::steady_clock;

  firstlight::Instant present();
  bool take_interrupt();
  void run(firstlight::Instant until);
  void sleep(firstlight::Instant until);

  const std::thread::id bench_ = std::this_thread::get_id();
  Clock::time_point origin_ = Clock::now();
  firstlight::Duration slipped_{};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool interrupted_ = false;
  // bench thread only
  bool started_ = false;
  bool running_ = false;
};

}  // namespace tb
