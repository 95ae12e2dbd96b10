#include "tb/bench/paced_time.h"

#include <algorithm>
#include <systemc>
#include <utility>

namespace tb {
namespace {

using firstlight::Duration;
using firstlight::Instant;

/// Farther behind than this, time slips.
constexpr Duration kMostBehind = std::chrono::milliseconds(2);
/// What is run between two looks at the wall clock and at what other threads want.
constexpr Duration kSlice = std::chrono::milliseconds(1);
constexpr Duration kLongestSleep = std::chrono::hours(1);
/// How long others may take it that time passes, when nothing happens: if this process does not get to run, it should
/// not pass for them.
constexpr Duration kPromise = std::chrono::milliseconds(20);

sc_core::sc_time to_sc(Duration d) { return {static_cast<double>(d.count()), sc_core::SC_PS}; }

/// When the model has something to do next.
Instant next_activity(Instant now) {
  if (!sc_core::sc_pending_activity()) return firstlight::kNever;
  const sc_core::sc_time in = sc_core::sc_time_to_pending_activity();
  return now + Duration(static_cast<std::int64_t>(in / sc_core::sc_time(1, sc_core::SC_PS)));
}

}  // namespace

Instant PacedTime::now() const {
  return Instant(Duration(static_cast<std::int64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS))));
}

Instant PacedTime::present() {
  const auto wall = std::chrono::duration_cast<Duration>(Clock::now() - origin_);
  const Instant goal(wall - slipped_);
  // Where nothing happens there is nothing to be late for, but for those who go by what they were told.
  const Duration behind = goal - std::min(goal, publish_ ? promised_ : next_activity(now()));
  if (behind <= kMostBehind) return goal;
  slipped_ += behind - kMostBehind;
  return goal - (behind - kMostBehind);
}

bool PacedTime::take_call() {
  const std::lock_guard lock(mutex_);
  return std::exchange(called_, false);
}

void PacedTime::run(Instant until) {
  running_ = true;
  sc_core::sc_start(to_sc(until - now()));
  running_ = false;
  promise(now());
}

void PacedTime::promise(Instant until) {
  promised_ = until;
  if (publish_) publish_(now(), until);
}

void PacedTime::sleep(Instant until) {
  const Instant bounded = std::min(until, now() + (publish_ ? kPromise : kLongestSleep));
  promise(bounded);
  const auto at = origin_ +
                  std::chrono::duration_cast<std::chrono::nanoseconds>(bounded.time_since_epoch() + slipped_) +
                  std::chrono::nanoseconds(1);
  std::unique_lock lock(mutex_);
  wake_.wait_until(lock, at, [this] { return called_; });
}

void PacedTime::advance(Instant until) {
  if (!std::exchange(started_, true))
    origin_ = Clock::now() - std::chrono::duration_cast<std::chrono::nanoseconds>(now().time_since_epoch());
  stirred_ = false;
  for (;;) {
    const Instant goal = std::min(present(), until);
    while (now() < goal) {
      run(std::min(goal, now() + kSlice));
      if (stirred_ || take_call()) return;
    }
    if (now() >= until || take_call()) return;
    sleep(std::min(until, next_activity(now())));
  }
}

void PacedTime::catch_up() {
  if (!started_) return;
  const Instant goal = present();
  while (now() < goal) run(goal);
}

void PacedTime::interrupt() {
  if (std::this_thread::get_id() == bench_) {
    stirred_ = true;
    if (running_) sc_core::sc_pause();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    called_ = true;
  }
  wake_.notify_one();
}

}  // namespace tb
