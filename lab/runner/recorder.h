#pragma once

#include <memory>
#include <string>

#include "lab/runner/events.h"

namespace firstlight {

/// Writes a run down as docs/record.md says: `<folder>/events.jsonl`, each line with one write, whole, as it happens;
/// attachments under `<folder>/files/`. Throws FailureError (infrastructure) when the disk does not take it.
class Recorder final : public RunListener {
 public:
  /// @param folder is there, and holds no record yet
  explicit Recorder(std::string folder);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() override;

  void run_started(const RunInfo& info, const SequencePlan& sequence, const BenchPlan& bench) override;
  void step_started(const StepStarted& event) override;
  void attempt_failed(const AttemptFailed& event) override;
  void step_ended(const StepEnded& event) override;
  void measured(const Measured& event) override;
  void checked(const Checked& event) override;
  void failure_noted(const std::string& step, const FailureEvent& event) override;
  void sampled(const Sampled& event) override;
  void logged(const Logged& event) override;
  void progressed(const std::string& step, Instant at, double share, const std::string& text) override;
  void data(const std::string& step, Instant at, int attempt, const std::string& kind,
            const std::string& json) override;
  void attached(const std::string& step, Instant at, int attempt, const std::string& name,
                const std::string& media_type, const std::string& content) override;
  void monitor(const MonitorEvent& event) override;
  void interlock(const InterlockEvent& event) override;
  void ledger(const LedgerEvent& event) override;
  void made_safe(const MadeSafe& event) override;
  void prompted(const Prompted& event) override;
  void run_ended(const RunEnded& event) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The pseudo-step that holds what belongs to no one step, and the one in which the bench is made safe.
inline constexpr const char* kBenchStep = "@bench";
inline constexpr const char* kSafeStateStep = "@safe_state";

}  // namespace firstlight
