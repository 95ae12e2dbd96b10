#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "lab/core/bench_time.h"

namespace tb {

/// SystemC time that follows the wall clock: the model sleeps while it is ahead, and is brought up to the present
/// before anything that came from outside is looked at. What it missed while it did not get to run (a busy machine) it
/// makes good as long as that is quick; the time that it cannot make good is lost to it, and counted.
class PacedTime : public firstlight::TimeSource {
 public:
  firstlight::Instant now() const override;
  void advance(firstlight::Instant until) override;
  void catch_up() override;
  void interrupt() override;  // from any thread

  /// Wall time that the model could not keep up with.
  firstlight::Duration slipped() const { return slipped_; }

 private:
  using Clock = std::chrono::steady_clock;

  firstlight::Instant present();
  bool take_call();
  void run(firstlight::Instant until);
  void sleep(firstlight::Instant until);

  const std::thread::id bench_ = std::this_thread::get_id();
  Clock::time_point origin_ = Clock::now();
  firstlight::Duration slipped_{};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool called_ = false;  // from another thread
  // bench thread only
  bool started_ = false;
  bool running_ = false;
  bool stirred_ = false;  // something on the board happened that a fiber waited for
  double spent_ = 0;      // processor time of late, seconds
  double gained_ = 0;     // and the bench time that passed for it
};

}  // namespace tb
