#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/capabilities/bench.h"
#include "lab/runner/events.h"
#include "lab/runner/scheduler.h"

namespace firstlight {

/// What sampled while steps ran, and how it ended.
struct MonitorResult {
  std::string name;
  std::string step;  // that started it
  Verdict verdict = Verdict::pass;
  std::optional<FailureEvent> failure;
};

/// The monitors of a run, each a fiber of its own that never waits behind a step.
class Monitors {
 public:
  Monitors(Scheduler& scheduler, Bench& bench, RunListener& listener);
  Monitors(const Monitors&) = delete;
  Monitors& operator=(const Monitors&) = delete;
  ~Monitors();

  /// Throws FailureError (sequence) when one of that name is running.
  void start(MonitorRequest request, const std::string& step);
  /// Throws FailureError (sequence, "unknown_monitor") when none of that name is running.
  MonitorResult stop(const std::string& name);
  std::vector<MonitorResult> stop_all();

 private:
  struct Running;
  void watch(Running& monitor);
  void read(Running& monitor, const std::string& name);
  void judge_sample(Running& monitor, const std::string& name, const Quantity& value);
  void unreadable(Running& monitor, const std::string& name, const Failure& failure);

  Scheduler& scheduler_;
  Bench& bench_;
  RunListener& listener_;
  std::map<std::string, std::unique_ptr<Running>> running_;
};

}  // namespace firstlight
