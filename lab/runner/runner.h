#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lab/bench/plan.h"
#include "lab/capabilities/bench.h"
#include "lab/runner/events.h"
#include "lab/runner/run_context.h"
#include "lab/runner/scheduler.h"
#include "lab/runner/standby.h"
#include "lab/sequence/plan.h"
#include "lab/steps/undo.h"

namespace firstlight {

struct RunRequest {
  RunInfo info;
  SequencePlan sequence;
  BenchPlan bench;
  /// Makes the bench: opens resources, makes drivers. Called in a fiber.
  std::function<std::unique_ptr<Bench>(BenchTime&)> connect;
  StepFinder find_step;
  UndoTable undo;
  std::string folder;     // of the run; the ledger is written there
  std::string reproduce;  // how to run the same again
  Operator* person = nullptr;
  Standby* standby = nullptr;  // who makes the bench safe when this process cannot; null on a model
  Duration step_timeout = std::chrono::seconds(60);  // of steps that say none
};

/// Runs a sequence on a bench and makes the bench safe at the end of it, good or bad. docs/record.md has the rules.
class Runner {
 public:
  enum class Stop { operator_, terminated, hung_up };

  Runner(Scheduler& scheduler, RunListener& listener, RunRequest request);
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner();

  /// Throws FailureError (infrastructure) when the record cannot be written, after the bench was made safe.
  RunEnded run();
  /// Whether the bench was made safe, also when `run` has thrown.
  bool bench_is_safe() const;
  /// On the bench thread (Scheduler::post). Once: teardown, then the safe state. Again: the safe state at once.
  void stop(Stop cause);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firstlight
