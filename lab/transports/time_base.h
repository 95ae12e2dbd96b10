#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "lab/core/bench_time.h"
#include "lab/transports/host/mapping.h"

namespace firstlight {

/// A time base in a file that programs on one machine map: the time of a simulated table, which may be slower than the
/// wall clock when its machine is busy. Written by one program, read by any number, without locks (a sequence lock).
struct TimeBasePage;

/// Publishes a table's time. The file is new, for this user only, and goes with the publisher.
class TimeBasePublisher {
 public:
  /// Throws FailureError (infrastructure) when the file cannot be made.
  explicit TimeBasePublisher(std::string path);
  TimeBasePublisher(const TimeBasePublisher&) = delete;
  TimeBasePublisher& operator=(const TimeBasePublisher&) = delete;
  ~TimeBasePublisher();

  /// It is `now` on the table, and up to `until` time passes there as on the wall clock, for nothing happens before.
  /// Neither is ever less than what was published last.
  void publish(Instant now, Instant until);

 private:
  const std::string path_;
  std::shared_ptr<host::Mapping> mapping_;
  TimeBasePage* page_ = nullptr;
};

/// Bench time that is a simulated table's: limits and deadlines then hold however slow its machine is. A table that
/// says nothing for a while (it was stopped, or died) keeps nobody waiting for ever: time then passes as on the wall
/// clock.
class TimeBaseSource final : public TimeSource {
 public:
  /// How long a table may say nothing.
  static constexpr std::chrono::milliseconds kSilence{1000};

  /// Throws FailureError (infrastructure) when nothing publishes there. Its time starts at zero.
  explicit TimeBaseSource(const std::string& path);
  /// Starts as long ago as `epoch` (of the monotonic clock) is: the bench time of another program on this machine, give
  /// or take what the table lost since.
  TimeBaseSource(const std::string& path, std::chrono::steady_clock::time_point epoch);

  Instant now() const override;
  void advance(Instant until) override;
  void while_waiting(const std::function<void()>& action) override { while_waiting_ = action; }
  void interrupt() override;  // from any thread

 private:
  /// What the table's clock says, and for how long nothing will change.
  struct Reading {
    Instant now;
    std::chrono::nanoseconds calm;
  };
  Reading read() const;

  std::shared_ptr<host::Mapping> mapping_;
  const TimeBasePage* page_ = nullptr;
  Duration start_{};
  mutable std::atomic<std::int64_t> latest_{0};  // it never goes back
  std::mutex mutex_;
  std::condition_variable wake_;
  bool interrupted_ = false;
  std::function<void()> while_waiting_;
};

}  // namespace firstlight
