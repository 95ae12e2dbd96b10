#pragma once

#include <functional>
#include <string>

#include "lab/core/bench_time.h"
#include "lab/core/failure.h"

namespace firstlight {

/// Someone outside of this process who makes the bench safe when this process cannot. Called on the bench thread.
class Standby {
 public:
  Standby() = default;
  Standby(const Standby&) = delete;
  Standby& operator=(const Standby&) = delete;
  virtual ~Standby() = default;

  /// In a fiber, until it stands by. Throws FailureError (infrastructure) when it cannot or does not in time.
  virtual void wait_until_ready(Instant deadline) = 0;
  /// Called, at most once, when it is gone before it was dismissed.
  virtual void when_lost(std::function<void(const Failure&)> lost) = 0;
  /// Passes on a line of the ledger. Does not wait.
  virtual void tell(const std::string& line) = 0;
  /// In a fiber, until it has every line that was told. Throws FailureError (infrastructure, "guardian_lost").
  virtual void confirm(Instant deadline) = 0;
  /// This process lives.
  virtual void beat() = 0;
  virtual void making_safe() = 0;
  /// The last word. When the bench is not safe, it ends this process and goes on from here.
  virtual void ended(bool safe) = 0;
};

}  // namespace firstlight
