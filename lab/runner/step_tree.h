#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/runner/run_context.h"

namespace firstlight {

/// What became of a step, group, list or phase.
struct Outcome {
  Verdict verdict = Verdict::skip;    // skip until something ran
  std::optional<FirstFailure> first;  // the first in bench time that made it bad
  std::map<Verdict, int> counts;      // verbs

  bool bad() const { return !is_good(verdict); }
  /// Counts the other in; a skip never makes it worse, and aborted does only when `count_aborted`.
  void absorb(const Outcome& other, bool count_aborted = true);
  /// Adds a failure of its own.
  void blame(Verdict with, const FirstFailure& failure);
};

/// Where in the tree something stands.
struct TreePlace {
  std::string phase;
  std::string section;
  std::string parent;  // testStepId
  std::string suffix;  // of ids, in further attempts of a group
  int depth = 1;
};

/// Runs the steps and groups of a sequence by the rules of docs/record.md. All of it is called in fibers, and returns
/// when the fiber is cancelled too, with what ran recorded as aborted.
class StepTree {
 public:
  explicit StepTree(RunContext& run) : run_(run) {}

  /// In order. Stops after a step that is bad unless its on_fail says otherwise; with `whatever_happens` never.
  void run_list(const std::vector<StepPlan>& list, const TreePlace& place, Instant deadline, bool whatever_happens,
                Outcome& outcome);
  /// Records a list, and all that is below, as skipped.
  void skip_list(const std::vector<StepPlan>& list, const TreePlace& place, const std::string& reason,
                 Outcome& outcome);

 private:
  struct Attempt {
    Outcome outcome;
    std::optional<FailureEvent> failure;
    bool own_failure = true;  // false: a child has told it
  };

  Outcome run_step(const StepPlan& plan, const TreePlace& place, int index, Instant deadline);
  Attempt attempt(const StepPlan& plan, const TreePlace& place, const std::string& id, int number, Instant deadline);
  Attempt attempt_verb(const StepPlan& plan, const std::string& id, int number, Instant deadline);
  Attempt attempt_group(const StepPlan& plan, const TreePlace& place, const std::string& id, int number,
                        Instant deadline);
  void run_branches(const StepPlan& plan, const TreePlace& place, Instant deadline, Outcome& outcome);
  void skip_step(const StepPlan& plan, const TreePlace& place, int index, const std::string& reason, Outcome& outcome);
  bool holds(const Condition& condition, Instant deadline);
  std::string title_of(const StepPlan& plan) const;
  std::string id_of(const StepPlan& plan, const TreePlace& place) const {
    return place.phase + "/" + plan.id + place.suffix;
  }
  void tell_start(const StepPlan& plan, const TreePlace& place, int index);
  std::string cut_off_reason() const;

  RunContext& run_;
};

}  // namespace firstlight
