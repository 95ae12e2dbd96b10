#include "lab/runner/safe_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/capabilities/rail.h"
#include "lab/runner/recorder.h"

namespace firstlight {

namespace {

constexpr Duration kUndoTimeout = std::chrono::seconds(10);
/// How long a rail may take to discharge before it counts as still on, and how often it is looked at.
constexpr Duration kDischarge = std::chrono::seconds(1);
constexpr Duration kLook = std::chrono::milliseconds(5);

/// Runs the body within its time and turns whatever goes wrong into a failure.
std::optional<Failure> attempt(Scheduler& scheduler, const std::string& what, Duration timeout,
                               const std::function<void()>& body) {
  try {
    if (scheduler.run_bounded(what, scheduler.now() + timeout, body) == Scheduler::Bounded::done) return {};
    return Failure{ErrorClass::infrastructure,
                   "undo_timeout",
                   fmt::format("{}: not over after {} s", what, seconds(timeout)),
                   "",
                   "",
                   "",
                   "the part or its bus does not answer"};
  } catch (const FailureError& error) {
    return error.failure();
  } catch (const std::exception& error) {
    return Failure{ErrorClass::bug, "unexpected_exception", what + ": " + error.what(), "", "", "", ""};
  } catch (...) {
    return Failure{ErrorClass::bug, "unexpected_exception", what + ": something that is no exception", "", "", "", ""};
  }
}

void undo_all(Scheduler& scheduler, Ledger& ledger, MadeSafe& made) {
  while (!ledger.entries().empty()) {
    const Ledger::Entry entry = ledger.entries().back();
    const Instant start = scheduler.now();
    ledger.undoing(entry);
    std::optional<Failure> failure;
    if (entry.action.undo) failure = attempt(scheduler, "undo of " + entry.action.key, kUndoTimeout, entry.action.undo);
    const Duration took = scheduler.now() - start;
    if (failure) {
      const FailureEvent event{*failure, scheduler.now(), 0};
      made.failed.emplace_back(entry.action.key, event);
      ledger.undo_failed(entry, took, event);
    } else {
      ++made.undone;
      ledger.undone(entry, took);
    }
  }
}

bool undo_failed(const MadeSafe& made, const std::string& key) {
  return std::any_of(made.failed.begin(), made.failed.end(), [&](const auto& one) { return one.first == key; });
}

/// One look at a rail. `safe` is what the voltage says.
void look(Bench& bench, Rail& rail, VerifiedRail& seen) {
  const RailPlan& plan = rail.plan();
  seen.independent = !plan.sense.empty();
  try {
    seen.on = rail.status().on;
  } catch (const FailureError& error) {
    seen.on.reset();  // a regulator without input power does not answer
    seen.note = "its regulator does not answer: " + error.failure().message;
  }
  const Voltage voltage = seen.independent ? Voltage(bench.measurable(plan.sense).read()) : rail.voltage();
  seen.voltage = voltage.base();
  seen.safe = voltage <= plan.residual && !seen.on.value_or(false);
}

VerifiedRail verify(Scheduler& scheduler, Bench& bench, Rail& rail, RunListener& listener, bool undo_was_good) {
  VerifiedRail seen;
  seen.rail = rail.plan().name;
  seen.residual = rail.plan().residual.base();
  const Instant end = scheduler.now() + std::max(kDischarge, 2 * rail.plan().safe_ramp);
  const auto failure = attempt(scheduler, "look at " + seen.rail, end - scheduler.now() + std::chrono::seconds(1), [&] {
    while (true) {
      seen.note.clear();
      look(bench, rail, seen);
      // Without a sense point the regulator's word about its voltage is all there is, and it may be stuck.
      if (seen.safe || scheduler.now() >= end) return;
      scheduler.sleep(kLook);
    }
  });
  if (failure) {
    // Its own read-back while it was turned off is the best that is known.
    seen.safe = undo_was_good && !seen.voltage;
    seen.note = "cannot be read: " + failure->message;
  }
  if (seen.voltage) {
    Measured measured;
    measured.step = kSafeStateStep;
    measured.subject = seen.independent ? rail.plan().sense : seen.rail + ".voltage";
    measured.measure = seen.independent ? seen.rail : "";
    measured.part = rail.part();
    measured.value = Voltage(*seen.voltage).quantity();
    measured.limit = Limit::at_most(rail.plan().residual.quantity());
    measured.verdict = judge(*seen.voltage, *measured.limit);
    measured.at = scheduler.now();
    listener.measured(measured);
  }
  return seen;
}

}  // namespace

MadeSafe make_safe(Scheduler& scheduler, Bench& bench, Ledger& ledger, RunListener& listener,
                   const std::string& reason) {
  StepStarted started;
  started.step = kSafeStateStep;
  started.title = "safe state";
  started.kind = StepKind::pseudo;
  started.at = scheduler.now();
  listener.step_started(started);

  MadeSafe made;
  made.reason = reason;
  undo_all(scheduler, ledger, made);
  for (Rail* rail : bench.rails()) {
    const std::string key = "rail " + rail->plan().name;
    if (ledger.ever_live(key))
      made.verified.push_back(verify(scheduler, bench, *rail, listener, !undo_failed(made, key)));
  }
  // A rail that would not turn off by itself is safe when it is seen to be off (its supply was undone after it).
  const auto seen_off = [&](const std::string& key) {
    return std::any_of(made.verified.begin(), made.verified.end(), [&](const VerifiedRail& rail) {
      return "rail " + rail.rail == key && rail.safe && rail.voltage;
    });
  };
  for (const auto& [key, failure] : made.failed) made.safe = made.safe && seen_off(key);
  for (const auto& rail : made.verified) made.safe = made.safe && rail.safe;
  made.at = scheduler.now();
  listener.made_safe(made);

  StepEnded ended;
  ended.step = kSafeStateStep;
  ended.kind = StepKind::pseudo;
  ended.attempts = 1;
  ended.verdict = made.safe && made.failed.empty() ? Verdict::pass : Verdict::error;
  if (!made.failed.empty()) {
    ended.failure = made.failed.front().second;
  } else if (!made.safe) {
    ended.failure = bench_unsafe(made);
  }
  ended.at = made.at;
  ended.duration = ended.at - started.at;
  listener.step_ended(ended);
  ledger.close(made.safe);
  return made;
}

FailureEvent bench_unsafe(const MadeSafe& made) {
  FailureEvent event;
  event.at = made.at;
  Failure& failure = event.failure;
  failure.error_class = ErrorClass::infrastructure;
  failure.symptom = "bench_unsafe";
  for (const auto& rail : made.verified) {
    if (rail.safe) continue;
    failure.message += failure.message.empty() ? "still energised: " : ", ";
    failure.message += rail.rail;
    if (rail.voltage) failure.message += " at " + to_text(Voltage(*rail.voltage));
    if (failure.part.empty()) failure.part = rail.rail;
  }
  for (const auto& [key, why] : made.failed) {
    failure.message += failure.message.empty() ? "" : "; ";
    failure.message += "undo of \"" + key + "\" failed: " + why.failure.message;
    if (failure.part.empty()) failure.part = why.failure.part.empty() ? key : why.failure.part;
  }
  failure.likely_cause = "turn the bench off by hand before touching it";
  return event;
}

}  // namespace firstlight
