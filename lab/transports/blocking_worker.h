#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "lab/core/bench_time.h"

namespace firstlight {

/// A thread of one transport's own, for a library that blocks. It differs from BenchTime::offload in one thing: a fiber
/// that is told to stop leaves at once, and the call ends behind it. So what a call touches must be owned by the call
/// (shared), not by the fiber. Only for bench time that is the wall clock.
class BlockingWorker {
 public:
  using Clock = std::chrono::steady_clock;

  /// What a running call knows of the one who waits for it.
  struct Call {
    Clock::time_point end;             // when it must be over
    std::atomic<bool> stopped{false};  // nobody waits any more: the sooner it is over, the better
    /// Never negative.
    std::chrono::milliseconds left() const;
  };

  /// @param interrupt makes the running call look at `stopped` soon; called from the bench thread, never between two
  /// calls. May be empty for a library that cannot be interrupted: the call's own timeouts then bound it.
  explicit BlockingWorker(BenchTime& time, std::function<void()> interrupt = {});
  BlockingWorker(const BlockingWorker&) = delete;
  BlockingWorker& operator=(const BlockingWorker&) = delete;
  /// Interrupts, and waits until the running call is over; calls that have not begun never do.
  ~BlockingWorker();

  /// Runs the work on the thread, after the calls before it, while the fiber waits. Nothing when it was not over at the
  /// deadline. Throws Cancelled, and what the work throws.
  template <class Result>
  std::optional<Result> run(Instant deadline, std::function<Result(const Call&)> work) {
    const auto result = std::make_shared<std::optional<Result>>();
    const bool over = run_call(deadline, [result, work = std::move(work)](const Call& call) { *result = work(call); });
    return over ? std::move(*result) : std::nullopt;
  }

 private:
  struct Job;
  class State;

  bool run_call(Instant deadline, std::function<void(const Call&)> work);

  BenchTime& time_;
  std::shared_ptr<State> state_;
};

}  // namespace firstlight
