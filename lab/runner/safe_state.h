#pragma once

#include <functional>
#include <string>

#include "lab/capabilities/bench.h"
#include "lab/runner/events.h"
#include "lab/runner/ledger.h"
#include "lab/runner/scheduler.h"
#include "lab/steps/undo.h"

namespace firstlight {

struct SafeStateRequest {
  Scheduler& scheduler;
  Bench* bench;  // null: it could not be connected yet
  Ledger& ledger;
  RunListener& listener;
  const UndoTable& undo;
  std::string reason;
  std::string step;  // what it is recorded as: kSafeStateStep
  /// The same bench with connections of its own, for when those that are there are dead. In a fiber; throws
  /// FailureError. Empty: there are no others.
  std::function<Bench*()> reconnect;
};

/// Undoes what the ledger holds, newest first, each within its time, going on after failures; then looks whether the
/// rails that were energised are off, at an independent sense point where the bench has one; what is still on then
/// loses the part that feeds it (`fed_by`), and so on up the chain. Called in a fiber that is not cancelled; never
/// throws but for the record's disk.
MadeSafe make_safe(const SafeStateRequest& request);

/// What to tell people of a bench that could not be made safe as it should.
FailureEvent bench_unsafe(const MadeSafe& made);

}  // namespace firstlight
