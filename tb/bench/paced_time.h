#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "lab/core/bench_time.h"

namespace tb {

/// SystemC time that follows the wall clock: the model sleeps while it is ahead, and is brought up to the present
/// before anything that came from outside is looked at. Time in which it did not get to run, or could not run as fast
/// as the clock, is lost to it and counted: to race after the clock would make the board jump under whoever looks at
/// it.
class PacedTime : public firstlight::TimeSource {
 public:
  firstlight::Instant now() const override;
  void advance(firstlight::Instant until) override;
  void catch_up() override;
  void interrupt() override;  // from any thread

  /// Has every change of the model's time told: the present, and the moment up to which nothing happens.
  void when_time_passes(std::function<void(firstlight::Instant now, firstlight::Instant until)> publish) {
    publish_ = std::move(publish);
    promise(now());
  }
  /// Wall time that the model could not keep up with.
  firstlight::Duration slipped() const { return slipped_; }

 private:
  using Clock = std::chrono::steady_clock;

  firstlight::Instant present();
  bool take_call();
  void run(firstlight::Instant until);
  void promise(firstlight::Instant until);
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
  std::function<void(firstlight::Instant, firstlight::Instant)> publish_;
  firstlight::Instant promised_;
};

}  // namespace tb
