#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/runner/run_context.h"
#include "lab/steps/step.h"

namespace firstlight {

/// One attempt of one step: what the step may do, and what it has said so far.
class RunningStep final : public StepContext {
 public:
  RunningStep(RunContext& run, std::string id, const StepPlan& plan, int attempt, Instant deadline);

  Bench& bench() override { return run_.bench; }
  bool has(std::string_view param) const override;
  const Value& with(std::string_view param) const override;
  Instant deadline() const override { return deadline_; }
  std::uint64_t seed() const override;

  Verdict measure(const std::string& name, const Quantity& value, const std::string& subject,
                  const std::string& part) override;
  Verdict measure(const std::string& name, const Quantity& value, const Limit& limit, const std::string& subject,
                  const std::string& part) override;
  Verdict expect(const std::string& name, bool holds, const std::string& expected, const std::string& found,
                 const std::string& part) override;
  void note_failure(Failure failure) override;
  void sample(const std::string& series, const Quantity& value) override;
  void log(Severity severity, const std::string& message) override;
  void data(const std::string& kind, const std::string& json) override;
  void attach(const std::string& name, const std::string& media_type, const std::string& content) override;
  void progress(double share, const std::string& text) override;
  void energise(EnergisingAction action) override;
  void de_energised(const std::string& key) override;
  void start_monitor(MonitorRequest request) override;
  Verdict stop_monitor(const std::string& name) override;
  std::string ask(const std::string& question, const std::vector<std::string>& choices) override;

  /// Worst of what it measured, checked and noted.
  Verdict verdict() const { return verdict_; }
  /// The first that made the verdict bad.
  const std::optional<FailureEvent>& failure() const { return failure_; }
  const std::string& last_said() const { return last_said_; }

 private:
  Verdict record(const std::string& name, const Quantity& value, const Limit* limit, const std::string& subject,
                 const std::string& part);
  void blame(Failure failure);

  RunContext& run_;
  const std::string id_;
  const StepPlan& plan_;
  const int attempt_;
  const Instant deadline_;
  Verdict verdict_ = Verdict::pass;
  std::optional<FailureEvent> failure_;
  std::string last_said_;
};

/// The verdict of a step that fails so: fail when it speaks of the device under test, error when of what tests it.
Verdict verdict_of(ErrorClass error_class);

}  // namespace firstlight
