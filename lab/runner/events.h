#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/failure.h"
#include "lab/core/limit.h"
#include "lab/core/verdict.h"
#include "lab/sequence/plan.h"
#include "lab/steps/step.h"

namespace firstlight {

/// What a run tells while it goes. The recorder writes it down, a terminal shows it; docs/record.md says what each
/// field means.

/// Everything about the run that is known before it starts.
struct RunInfo {
  std::string name;  // of the run: its folder's
  std::string command_line;
  std::string typed_command_line;
  std::string version;  // Firstlight's
  std::string binary_sha256;
  std::uint64_t seed = 0;
  bool simulated = false;
  std::vector<std::pair<std::string, std::string>> bench_variables = {};  // that were given
};

struct FailureEvent {
  Failure failure;
  Instant at{};
  int attempt = 0;
};

enum class StepKind : std::uint8_t { phase, sequential, parallel, verb, pseudo };
std::string_view name_of(StepKind kind);

/// A node of the step tree as it starts. `plan` is null for phases and pseudo-steps; it lives as long as the run.
struct StepStarted {
  std::string step;    // testStepId
  std::string parent;  // testStepId, or empty
  std::string phase;
  std::string section;
  std::string title;
  StepKind kind = StepKind::verb;
  int index = 0;
  int depth = 0;  // of the tree: 0 for phases
  const StepPlan* plan = nullptr;
  const PhasePlan* phase_plan = nullptr;
  std::optional<Duration> timeout;  // in force
  Instant at{};
};

struct StepEnded {
  std::string step;
  StepKind kind = StepKind::verb;
  Verdict verdict = Verdict::pass;
  int attempts = 0;
  bool intermittent = false;
  std::string skip_reason;
  std::optional<FailureEvent> failure;
  bool failure_is_told = false;  // by what is below it
  const StepPlan* plan = nullptr;
  Duration duration{};
  Instant at{};
};

struct AttemptFailed {
  std::string step;
  int attempt = 0;
  Verdict verdict = Verdict::fail;
  std::optional<FailureEvent> failure;
  Duration next_in{};
  Instant at{};
};

struct Measured {
  std::string step;
  std::string measure;
  std::string subject;
  std::string part;
  std::string verb;
  Quantity value;
  std::optional<Limit> limit;
  Verdict verdict = Verdict::pass;
  int attempt = 1;
  Instant at{};
};

/// What was measured, in words: the subject, and the measure unless the subject says it already.
std::string name_of(const Measured& measured);

struct Checked {
  std::string step;
  std::string name;
  bool holds = true;
  std::string expected;
  std::string found;
  std::string part;
  int attempt = 1;
  Instant at{};
};

/// A point of a series. `source` and `owner` say whose it is: ("step", step id), ("monitor", its name), ("interlock",
/// its name).
struct Sampled {
  std::string step;  // under which it is recorded
  std::string series;
  Quantity value;
  std::string source = "step";
  std::string owner;
  std::string owner_step;
  std::optional<Limit> limit;
  int attempt = 1;
  Instant at{};
};

struct Logged {
  std::string step;  // empty: of the run
  Severity severity = Severity::info;
  std::string message;
  Instant at{};
};

struct MonitorEvent {
  std::string name;
  std::string event;  // started, violated, unreadable, stopped
  std::string step;   // that started it
  const MonitorRequest* request = nullptr;
  std::string subject;
  std::optional<Quantity> value;
  std::optional<Verdict> verdict;
  std::optional<FailureEvent> failure;
  std::uint64_t samples = 0;
  std::uint64_t unreadable = 0;
  Instant worst_at{};
  double worst_margin = 0;
  Instant at{};
};

struct InterlockEvent {
  const InterlockPlan* plan = nullptr;
  std::string event;  // armed, disarmed, pending, cleared, warned, suspended, resumed, tripped, unreadable, summary
  Limit limit;
  std::optional<Quantity> value;
  std::vector<std::pair<Instant, double>> samples;
  std::optional<FailureEvent> failure;
  std::uint64_t samples_taken = 0;
  Instant worst_at{};
  Instant at{};
};

struct LedgerEvent {
  std::string step;
  std::string event;  // energise, released, undo, undone, undo_failed, cut, cut_failed
  int entry = 0;
  int replaces = 0;  // 0: nothing
  std::string key;
  std::string what;
  std::string undo;
  std::optional<FailureEvent> failure;
  Duration duration{};
  Instant at{};
};

struct VerifiedRail {
  std::string rail;
  std::optional<bool> on;
  std::optional<double> voltage;
  double residual = 0;
  bool safe = true;
  bool independent = false;  // read at a sense point, not by the regulator itself
  std::string note;
};

struct MadeSafe {
  std::string step;  // as which it is recorded
  std::string reason;
  int undone = 0;
  std::vector<std::pair<std::string, FailureEvent>> failed;
  std::vector<VerifiedRail> verified;
  bool safe = true;
  Instant at{};
};

struct Prompted {
  std::string step;
  std::string question;
  std::vector<std::string> choices;
  std::optional<std::string> answer;
  Instant at{};
};

struct FirstFailure {
  FailureEvent event;
  std::string phase;
  std::string section;
  std::string step;
  std::string id;
  std::string title;
  std::string verb;
  SourceLocation where;
  std::vector<std::string> during;
};

struct RunEnded {
  Verdict verdict = Verdict::pass;
  int exit_status = 0;
  std::map<Verdict, int> counts;  // verbs
  std::optional<FirstFailure> first_failure;
  bool safe = true;
  std::string made_safe_by;  // who made the bench safe, when it was not the run itself
  Duration bench_time{};
  std::uint64_t seed = 0;
  std::string reproduce;
  Instant at{};
};

/// Hears what a run tells. Nothing of it may wait or throw, but for the recorder, whose disk may be full: that ends
/// the run.
class RunListener {
 public:
  RunListener() = default;
  RunListener(const RunListener&) = delete;
  RunListener& operator=(const RunListener&) = delete;
  virtual ~RunListener() = default;

  virtual void run_started(const RunInfo&, const SequencePlan&, const BenchPlan&) {}
  virtual void step_started(const StepStarted&) {}
  virtual void attempt_failed(const AttemptFailed&) {}
  virtual void step_ended(const StepEnded&) {}
  virtual void measured(const Measured&) {}
  virtual void checked(const Checked&) {}
  virtual void failure_noted(const std::string& /*step*/, const FailureEvent&) {}
  virtual void sampled(const Sampled&) {}
  virtual void logged(const Logged&) {}
  virtual void progressed(const std::string& /*step*/, Instant /*at*/, double /*share*/, const std::string& /*text*/) {}
  virtual void data(const std::string& /*step*/, Instant /*at*/, int /*attempt*/, const std::string& /*kind*/,
                    const std::string& /*json*/) {}
  virtual void attached(const std::string& /*step*/, Instant /*at*/, int /*attempt*/, const std::string& /*name*/,
                        const std::string& /*media_type*/, const std::string& /*content*/) {}
  virtual void monitor(const MonitorEvent&) {}
  virtual void interlock(const InterlockEvent&) {}
  virtual void ledger(const LedgerEvent&) {}
  virtual void made_safe(const MadeSafe&) {}
  virtual void prompted(const Prompted&) {}
  virtual void run_ended(const RunEnded&) {}
};

/// Tells several.
class Listeners final : public RunListener {
 public:
  void add(RunListener& listener) { all_.push_back(&listener); }

  void run_started(const RunInfo& i, const SequencePlan& s, const BenchPlan& b) override {
    for (auto* l : all_) l->run_started(i, s, b);
  }
  void step_started(const StepStarted& e) override { tell(&RunListener::step_started, e); }
  void attempt_failed(const AttemptFailed& e) override { tell(&RunListener::attempt_failed, e); }
  void step_ended(const StepEnded& e) override { tell(&RunListener::step_ended, e); }
  void measured(const Measured& e) override { tell(&RunListener::measured, e); }
  void checked(const Checked& e) override { tell(&RunListener::checked, e); }
  void failure_noted(const std::string& step, const FailureEvent& e) override {
    for (auto* l : all_) l->failure_noted(step, e);
  }
  void sampled(const Sampled& e) override { tell(&RunListener::sampled, e); }
  void logged(const Logged& e) override { tell(&RunListener::logged, e); }
  void progressed(const std::string& step, Instant at, double share, const std::string& text) override {
    for (auto* l : all_) l->progressed(step, at, share, text);
  }
  void data(const std::string& step, Instant at, int attempt, const std::string& kind,
            const std::string& json) override {
    for (auto* l : all_) l->data(step, at, attempt, kind, json);
  }
  void attached(const std::string& step, Instant at, int attempt, const std::string& name,
                const std::string& media_type, const std::string& content) override {
    for (auto* l : all_) l->attached(step, at, attempt, name, media_type, content);
  }
  void monitor(const MonitorEvent& e) override { tell(&RunListener::monitor, e); }
  void interlock(const InterlockEvent& e) override { tell(&RunListener::interlock, e); }
  void ledger(const LedgerEvent& e) override { tell(&RunListener::ledger, e); }
  void made_safe(const MadeSafe& e) override { tell(&RunListener::made_safe, e); }
  void prompted(const Prompted& e) override { tell(&RunListener::prompted, e); }
  void run_ended(const RunEnded& e) override { tell(&RunListener::run_ended, e); }

 private:
  template <class E>
  void tell(void (RunListener::*method)(const E&), const E& event) {
    for (auto* l : all_) (l->*method)(event);
  }
  std::vector<RunListener*> all_;
};

}  // namespace firstlight
