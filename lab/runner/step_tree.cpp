#include "lab/runner/step_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/runner/step_context.h"
#include "lab/runner/value_text.h"

namespace firstlight {

namespace {

StepKind kind_of(const StepPlan& plan) {
  if (plan.kind == StepPlan::Kind::sequential) return StepKind::sequential;
  return plan.kind == StepPlan::Kind::parallel ? StepKind::parallel : StepKind::verb;
}

bool is_verb(const StepPlan& plan) { return plan.kind == StepPlan::Kind::verb; }

/// Trying again helps with parts and wires, not with a wrong sequence, an operator, or an interlock. Nor with a record
/// that cannot be written: that is told once, and a second attempt would pass without one.
bool worth_a_retry(const std::optional<FailureEvent>& failure) {
  if (!failure) return true;
  if (failure->failure.symptom == "record_write_failed") return false;
  const ErrorClass c = failure->failure.error_class;
  return c == ErrorClass::dut || c == ErrorClass::infrastructure || c == ErrorClass::bench;
}

/// Whatever `on_fail` says: a run that cannot be written down must not go on.
bool stops_what_follows(const StepPlan& plan, const Outcome& outcome) {
  if (!outcome.bad()) return false;
  if (plan.on_fail == OnFail::stop) return true;
  if (!outcome.first) return false;
  const std::string& symptom = outcome.first->event.failure.symptom;
  return symptom == "record_write_failed" || symptom == "ledger_write_failed";
}

Failure bug(const std::string& what) {
  return {
      ErrorClass::bug, "unexpected_exception", "unexpected: " + what, "", "", "", "a bug in Firstlight or a driver"};
}

FirstFailure first_of(const FailureEvent& failure, const StepPlan& plan, const TreePlace& place, const std::string& id,
                      const std::string& title) {
  FirstFailure first;
  first.event = failure;
  first.phase = place.phase;
  first.section = place.section;
  first.step = id;
  first.id = plan.id;
  first.title = title;
  first.verb = plan.verb;
  first.where = plan.where;
  return first;
}

}  // namespace

void Outcome::absorb(const Outcome& other, bool count_aborted) {
  for (const auto& [which, n] : other.counts) counts[which] += n;
  if (other.verdict == Verdict::skip) return;
  if (other.verdict == Verdict::aborted && !count_aborted) {
    if (verdict == Verdict::skip) verdict = Verdict::pass;
    return;
  }
  verdict = verdict == Verdict::skip ? other.verdict : worst(verdict, other.verdict);
  if (other.first && (!first || other.first->event.at < first->event.at)) first = other.first;
}

void Outcome::blame(Verdict with, const FirstFailure& failure) {
  verdict = verdict == Verdict::skip ? with : worst(verdict, with);
  if (!first || failure.event.at < first->event.at) first = failure;
}

std::string StepTree::cut_off_reason() const {
  return run_.stop_reason.empty() ? "what holds it was cancelled" : "the run was stopped: " + run_.stop_reason;
}

void StepTree::run_list(const std::vector<StepPlan>& list, const TreePlace& place, Instant deadline,
                        bool whatever_happens, Outcome& outcome) {
  std::string stopped;
  int index = 0;
  for (const auto& plan : list) {
    if (stopped.empty() && run_.scheduler.cancelled()) stopped = cut_off_reason();
    if (!stopped.empty()) {
      skip_step(plan, place, index++, stopped, outcome);
      continue;
    }
    const Outcome one = run_step(plan, place, index++, deadline);
    outcome.absorb(one);
    if (stops_what_follows(plan, one) && !whatever_happens && !run_.scheduler.cancelled())
      stopped = "after the failure of " + id_of(plan, place);
  }
}

void StepTree::skip_list(const std::vector<StepPlan>& list, const TreePlace& place, const std::string& reason,
                         Outcome& outcome) {
  int index = 0;
  for (const auto& plan : list) skip_step(plan, place, index++, reason, outcome);
}

void StepTree::skip_step(const StepPlan& plan, const TreePlace& place, int index, const std::string& reason,
                         Outcome& outcome) {
  tell_start(plan, place, index);
  const std::string id = id_of(plan, place);
  if (is_verb(plan)) {
    ++outcome.counts[Verdict::skip];
  } else {
    TreePlace below = place;
    below.parent = id;
    ++below.depth;
    skip_list(plan.children, below, reason, outcome);
  }
  run_.verdicts[plan.id] = Verdict::skip;
  StepEnded ended;
  ended.step = id;
  ended.kind = kind_of(plan);
  ended.verdict = Verdict::skip;
  ended.skip_reason = reason;
  ended.plan = &plan;
  ended.at = run_.scheduler.now();
  run_.listener.step_ended(ended);
}

std::string StepTree::title_of(const StepPlan& plan) const {
  if (!plan.title.empty()) return plan.title;
  if (!is_verb(plan)) return plan.id;
  std::string title = plan.verb;
  const Step* step = run_.find_step(plan.verb);
  if (step == nullptr) return title;
  for (const auto& param : step->spec.params) {
    const auto given = plan.with.find(param.name);
    if (param.required && given != plan.with.end()) title += " " + to_text(given->second);
  }
  return title;
}

void StepTree::tell_start(const StepPlan& plan, const TreePlace& place, int index) {
  StepStarted started;
  started.step = id_of(plan, place);
  started.parent = place.parent;
  started.phase = place.phase;
  started.section = place.section;
  started.title = title_of(plan);
  started.kind = kind_of(plan);
  started.index = index;
  started.depth = place.depth;
  started.plan = &plan;
  started.timeout = plan.timeout;
  if (is_verb(plan) && !plan.timeout) started.timeout = run_.step_timeout;
  started.at = run_.scheduler.now();
  run_.listener.step_started(started);
}

bool StepTree::holds(const Condition& condition, Instant deadline) {
  if (condition.constant && !*condition.constant) return false;
  if (!condition.step.empty()) {
    const auto found = run_.verdicts.find(condition.step);
    if (found == run_.verdicts.end()) return false;
    const auto& wanted = condition.verdicts;
    if (std::find(wanted.begin(), wanted.end(), name_of(found->second)) == wanted.end()) return false;
  }
  if (condition.measurable.empty()) return true;
  bool result = false;
  const auto how = run_.scheduler.run_bounded("when", deadline, [&] {
    const Quantity value = run_.bench.measurable(condition.measurable).read();
    result = (!condition.above || value.value > condition.above->value) &&
             (!condition.below || value.value < condition.below->value);
  });
  if (how == Scheduler::Bounded::timed_out) {
    throw FailureError(
        {ErrorClass::infrastructure, "step_timeout",
         "no reading of " + condition.measurable + " in time, to decide \"when: " + condition.text + "\"",
         condition.measurable, "", "", ""});
  }
  return result;
}

Outcome StepTree::run_step(const StepPlan& plan, const TreePlace& place, int index, Instant deadline) {
  const std::string id = id_of(plan, place);
  const Instant start = run_.scheduler.now();
  Attempt last;
  int number = 0;
  bool again = false;
  if (plan.when) {
    try {
      if (!holds(*plan.when, std::min(deadline, start + run_.step_timeout))) {
        Outcome skipped;
        const std::string reason = run_.scheduler.cancelled() ? cut_off_reason() : "when: " + plan.when->text;
        skip_step(plan, place, index, reason, skipped);
        return skipped;
      }
    } catch (const FailureError& error) {
      last.failure = FailureEvent{error.failure(), run_.scheduler.now(), 0};
      last.outcome.verdict = Verdict::error;
    }
  }
  tell_start(plan, place, index);
  do {
    if (last.failure && number == 0) break;  // `when` could not be decided
    last = attempt(plan, place, id, ++number, deadline);
    again =
        last.outcome.bad() && number <= plan.retry.times && worth_a_retry(last.failure) && !run_.scheduler.cancelled();
    if (!again) break;
    run_.listener.attempt_failed(
        {id, number, last.outcome.verdict, last.failure, plan.retry.delay, run_.scheduler.now()});
    try {
      if (plan.retry.delay > Duration::zero()) run_.scheduler.sleep(plan.retry.delay);
    } catch (const Cancelled&) {
      break;
    }
  } while (again);

  Outcome& outcome = last.outcome;
  StepEnded ended;
  if (number > 1 && outcome.verdict <= Verdict::marginal) {
    outcome.verdict = Verdict::marginal;
    ended.intermittent = true;
  }
  if (is_verb(plan)) {
    ++outcome.counts[outcome.verdict];
    if (last.failure) outcome.first = first_of(*last.failure, plan, place, id, title_of(plan));
  }
  run_.verdicts[plan.id] = outcome.verdict;
  ended.step = id;
  ended.kind = kind_of(plan);
  ended.verdict = outcome.verdict;
  ended.attempts = number;
  if (outcome.verdict == Verdict::aborted) ended.skip_reason = cut_off_reason();
  ended.failure = last.failure;
  ended.failure_is_told = !last.own_failure;
  ended.plan = &plan;
  ended.at = run_.scheduler.now();
  ended.duration = ended.at - start;
  run_.listener.step_ended(ended);
  return outcome;
}

StepTree::Attempt StepTree::attempt(const StepPlan& plan, const TreePlace& place, const std::string& id, int number,
                                    Instant deadline) {
  return is_verb(plan) ? attempt_verb(plan, id, number, deadline) : attempt_group(plan, place, id, number, deadline);
}

StepTree::Attempt StepTree::attempt_verb(const StepPlan& plan, const std::string& id, int number, Instant deadline) {
  auto& scheduler = run_.scheduler;
  const Duration timeout = plan.timeout.value_or(run_.step_timeout);
  const Instant own = scheduler.now() + timeout;
  RunningStep context(run_, id, plan, number, std::min(own, deadline));
  std::optional<Failure> thrown;
  auto how = Scheduler::Bounded::done;
  const Step* step = run_.find_step(plan.verb);
  run_.running.push_back(id);
  try {
    if (step == nullptr) throw FailureError(bug("no step \"" + plan.verb + "\""));
    how = scheduler.run_bounded(id, own, [&] {
      run_.gate.pass();
      step->run(context);
    });
  } catch (const FailureError& error) {
    thrown = error.failure();
  } catch (const std::exception& error) {
    thrown = bug(error.what());
  } catch (...) {
    thrown = bug("something that is no exception was thrown");
  }
  run_.running.erase(std::find(run_.running.begin(), run_.running.end(), id));
  Attempt result;
  result.failure = context.failure();
  result.outcome.verdict = context.verdict();
  if (how == Scheduler::Bounded::cancelled || scheduler.cancelled()) {
    result.outcome.verdict = Verdict::aborted;
    return result;
  }
  if (how == Scheduler::Bounded::timed_out) {
    thrown =
        Failure{ErrorClass::dut,
                "step_timeout",
                fmt::format("{} was not over after {}", title_of(plan), to_text(to_quantity(timeout))),
                "",
                "",
                "",
                context.last_said().empty() ? "it had said nothing" : "the last thing it said: " + context.last_said()};
  }
  if (!thrown) return result;
  result.failure = FailureEvent{*thrown, scheduler.now(), number};
  result.outcome.verdict = worst(result.outcome.verdict, verdict_of(thrown->error_class));
  return result;
}

StepTree::Attempt StepTree::attempt_group(const StepPlan& plan, const TreePlace& place, const std::string& id,
                                          int number, Instant deadline) {
  auto& scheduler = run_.scheduler;
  TreePlace below = place;
  below.parent = id;
  ++below.depth;
  if (number > 1) below.suffix += fmt::format("#{}", number);
  Instant inner = deadline;
  if (plan.timeout) inner = std::min(inner, scheduler.now() + *plan.timeout);
  Outcome children;
  const auto body = [&] {
    if (plan.kind == StepPlan::Kind::parallel) {
      run_branches(plan, below, inner, children);
    } else {
      run_list(plan.children, below, inner, false, children);
    }
  };
  auto how = Scheduler::Bounded::done;
  if (plan.timeout) {
    how = scheduler.run_bounded(id, scheduler.now() + *plan.timeout, body);
  } else {
    body();
  }
  Attempt result;
  if (how == Scheduler::Bounded::timed_out && !scheduler.cancelled()) {
    const FailureEvent failure{
        {ErrorClass::dut, "group_timeout",
         fmt::format("{} was not over after {}", title_of(plan), to_text(to_quantity(*plan.timeout))), "", "", "",
         "what ran then is recorded as aborted below it"},
        scheduler.now(),
        number};
    result.outcome.absorb(children, false);
    if (children.verdict == Verdict::aborted) result.outcome.verdict = Verdict::pass;
    result.outcome.blame(Verdict::fail, first_of(failure, plan, place, id, title_of(plan)));
    result.failure = failure;
    return result;
  }
  result.outcome = children;
  if (scheduler.cancelled()) result.outcome.verdict = Verdict::aborted;
  if (result.outcome.bad() && children.first) result.failure = children.first->event;
  result.own_failure = false;
  return result;
}

void StepTree::run_branches(const StepPlan& plan, const TreePlace& place, Instant deadline, Outcome& outcome) {
  std::vector<Outcome> outcomes(plan.children.size());
  std::vector<char> started(plan.children.size(), 0);
  std::vector<std::function<bool()>> branches;
  bool failed = false;
  for (std::size_t i = 0; i < plan.children.size(); ++i) {
    branches.emplace_back([&, i] {
      const StepPlan& child = plan.children[i];
      started[i] = 1;
      outcomes[i] = run_step(child, place, static_cast<int>(i), deadline);
      const bool stop = stops_what_follows(child, outcomes[i]) && !run_.scheduler.cancelled();
      failed = failed || stop;
      return !stop;
    });
  }
  run_.scheduler.run_parallel(branches);
  for (std::size_t i = 0; i < plan.children.size(); ++i) {
    // A branch that was cancelled before its turn came.
    if (started[i] == 0) skip_step(plan.children[i], place, static_cast<int>(i), cut_off_reason(), outcome);
  }
  for (const auto& one : outcomes) outcome.absorb(one, !failed);
}

}  // namespace firstlight
