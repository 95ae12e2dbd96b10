#include "tb/bench/paced_time.h"

#include <algorithm>
#include <systemc>
#include <utility>

namespace tb {
namespace {

using firstlight::Duration;
using firstlight::Instant;

/// Farther behind than this, time slips.
constexpr Duration kMostBehind = std::chrono::milliseconds(20);
/// What is run between two looks at the wall clock and at what other threads want.
constexpr Duration kSlice = std::chrono::milliseconds(1);
constexpr Duration kLongestSleep = std::chrono::hours(1);

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
  const Duration behind = goal - now();
  if (behind <= kMostBehind) return goal;
  slipped_ += behind - kMostBehind;
  return goal - (behind - kMostBehind);
}

bool PacedTime::take_interrupt() {
  const std::lock_guard lock(mutex_);
  return std::exchange(interrupted_, false);
}

void PacedTime::run(Instant until) {
  running_ = true;
  sc_core::sc_start(to_sc(until - now()));
  running_ = false;
}

void PacedTime::sleep(Instant until) {
  const Instant bounded = std::min(until, now() + kLongestSleep);
  const auto at = origin_ +
                  std::chrono::duration_cast<std::chrono::nanoseconds>(bounded.time_since_epoch() + slipped_) +
                  std::chrono::nanoseconds(1);
  std::unique_lock lock(mutex_);
  wake_.wait_until(lock, at, [this] { return interrupted_; });
}

void PacedTime::advance(Instant until) {
  if (!std::exchange(started_, true)) origin_ = Clock::now();
  for (;;) {
    // What was interrupted for happens now, so the model comes up to now first.
    const bool called = take_interrupt();
    const Instant goal = std::min(present(), until);
    if (goal > now()) run(std::min(goal, now() + kSlice));
    if (called || take_interrupt() || now() >= until) return;
    if (now() >= goal) sleep(std::min(until, next_activity(now())));
  }
}

void PacedTime::interrupt() {
  {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
  }
  if (std::this_thread::get_id() == bench_) {
    if (running_) sc_core::sc_pause();
  } else {
    wake_.notify_one();
  }
}

}  // namespace tb
