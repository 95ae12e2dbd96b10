#include "lab/runner/wall_time_source.h"

namespace firstlight {

Instant WallTimeSource::now() const {
  return Instant(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start_));
}

void WallTimeSource::advance(Instant until) {
  std::unique_lock lock(mutex_);
  const auto interrupted = [this] { return interrupted_; };
  // An hour at most: the deadline "never" does not fit the steady clock.
  const Instant bounded = std::min(until, now() + std::chrono::hours(1));
  // Rounded up: waking a fraction of a nanosecond early would spin.
  const auto at = start_ + std::chrono::duration_cast<std::chrono::nanoseconds>(bounded.time_since_epoch()) +
                  std::chrono::nanoseconds(1);
  wake_.wait_until(lock, at, interrupted);
  interrupted_ = false;
}

void WallTimeSource::interrupt() {
  {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
  }
  wake_.notify_one();
}

}  // namespace firstlight
