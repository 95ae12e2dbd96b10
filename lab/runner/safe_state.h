#pragma once

#include <string>

#include "lab/capabilities/bench.h"
#include "lab/runner/events.h"
#include "lab/runner/ledger.h"
#include "lab/runner/scheduler.h"

namespace firstlight {

/// Undoes what the ledger holds, newest first, each within its time, going on after failures; then looks whether the
/// rails that were energised are off, at an independent sense point where the bench has one. Records it as the step
/// @safe_state. Called in a fiber that is not cancelled; never throws but for the record's disk.
MadeSafe make_safe(Scheduler& scheduler, Bench& bench, Ledger& ledger, RunListener& listener,
                   const std::string& reason);

/// What to tell people of a bench that could not be made safe as it should.
FailureEvent bench_unsafe(const MadeSafe& made);

}  // namespace firstlight
