#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lab/runner/events.h"
#include "lab/runner/record_tail.h"

namespace firstlight {

/// Writes a run down as docs/record.md says: `<folder>/events.jsonl`, each line with one write, whole, as it happens;
/// attachments under `<folder>/files/`. Throws FailureError (infrastructure) when the disk does not take it.
class Recorder final : public RunListener {
 public:
  /// @param folder is there, and holds no record yet
  explicit Recorder(const std::string& folder);
  /// Goes on with the record of a run whose own process is gone: never throws for the disk, `trouble` tells.
  /// @param next the number of its next line
  Recorder(const std::string& folder, std::uint64_t next);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() override;

  /// Ends what the process that is gone left open, as aborted for that reason; `run_ended` is still to come.
  void abandoned(const RecordTail& tail, const std::string& why, Instant at);
  /// What kept the record from being written; empty when nothing did.
  const std::string& trouble() const;

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
