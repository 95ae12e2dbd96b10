#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lab/capabilities/bench.h"
#include "lab/runner/events.h"
#include "lab/runner/ledger_state.h"
#include "lab/runner/scheduler.h"
#include "lab/steps/undo.h"

namespace firstlight {

/// A run that cannot make its bench safe any more, and who does it instead.
struct TakeoverRequest {
  std::string folder;  // of the run
  std::string by;      // "guardian", "recover"
  Failure cause;       // why the run could not
  LedgerState ledger;
  bool safe_state_begun = false;  // the run had begun to make the bench safe
  /// In a fiber; the first with the connections that are held ready, if any. Each throws FailureError.
  std::function<std::unique_ptr<Bench>(BenchTime&)> connect;
  std::function<std::unique_ptr<Bench>(BenchTime&)> connect_anew;
  UndoTable undo;
};

struct TakenOver {
  MadeSafe made;
  std::string trouble;  // what kept the record from being written; empty when nothing did
};

/// Makes the bench of the run safe, as the run itself would have; writes what it did behind the run's record and
/// ledger, and ends the record. Called in a fiber. Throws nothing but what is a bug.
TakenOver take_over(Scheduler& scheduler, RunListener& listener, const TakeoverRequest& request);

}  // namespace firstlight
