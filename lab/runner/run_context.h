#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/runner/events.h"
#include "lab/runner/ledger.h"
#include "lab/runner/monitors.h"
#include "lab/runner/operator.h"
#include "lab/runner/scheduler.h"

namespace firstlight {

using StepFinder = std::function<const Step*(std::string_view verb)>;

/// Where steps wait while an interlock has suspended the run.
class Gate {
 public:
  explicit Gate(Scheduler& scheduler) : scheduler_(scheduler), open_(scheduler.make_event()) { open_->fire(); }
  void close() {
    ++closed_;
    open_->reset();
  }
  void open() {
    if (--closed_ == 0) open_->fire();
  }
  void pass() {
    while (closed_ > 0) scheduler_.wait(*open_, kNever);
  }

 private:
  Scheduler& scheduler_;
  std::unique_ptr<Event> open_;
  int closed_ = 0;
};

/// What the parts of a running sequence share.
struct RunContext {
  Scheduler& scheduler;
  RunListener& listener;
  Bench& bench;
  Ledger& ledger;
  Monitors& monitors;
  Gate& gate;
  Operator* person = nullptr;
  StepFinder find_step;
  std::uint64_t seed = 0;
  Duration step_timeout{};                  // of steps that say none
  std::string stop_reason;                  // why the run was stopped; empty while it goes
  std::map<std::string, Verdict> verdicts;  // of steps that are over, by id, for `when`
  std::vector<std::string> running;         // verbs that run now
};

}  // namespace firstlight
