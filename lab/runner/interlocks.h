#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/capabilities/bench.h"
#include "lab/runner/events.h"
#include "lab/runner/ledger.h"
#include "lab/runner/scheduler.h"

namespace firstlight {

/// The interlocks of a bench, each a fiber of its own that never waits behind a step. One whose reading does not come
/// within its dwell and three periods (at least 250 ms) is blind, and acts, even while the reading still hangs.
class Interlocks {
 public:
  struct Actions {
    std::function<void(const InterlockPlan&, const FailureEvent&)> trip;
    std::function<void(const InterlockPlan&)> suspend;
    std::function<void(const InterlockPlan&)> resume;
  };

  Interlocks(Scheduler& scheduler, Bench& bench, const Ledger& ledger, RunListener& listener, Actions actions);
  Interlocks(const Interlocks&) = delete;
  Interlocks& operator=(const Interlocks&) = delete;
  ~Interlocks();

  void start();
  /// Lets transfers that run end, and records what each saw.
  void stop();

 private:
  class Watch;
  Scheduler& scheduler_;
  const Actions actions_;
  std::vector<std::unique_ptr<Watch>> watches_;
};

}  // namespace firstlight
