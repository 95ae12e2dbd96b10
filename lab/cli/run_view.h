#pragma once

#include <chrono>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "lab/cli/terminal.h"
#include "lab/runner/events.h"

namespace firstlight::cli {

/// Shows a run as it goes: a line for each phase and each step that is over; on a terminal, below them, what runs now.
class RunView final : public RunListener {
 public:
  RunView(std::ostream& out, Style style, bool live);
  RunView(const RunView&) = delete;
  RunView& operator=(const RunView&) = delete;
  ~RunView() override;

  void run_started(const RunInfo& info, const SequencePlan& sequence, const BenchPlan& bench) override;
  void step_started(const StepStarted& event) override;
  void attempt_failed(const AttemptFailed& event) override;
  void step_ended(const StepEnded& event) override;
  void measured(const Measured& event) override;
  void checked(const Checked& event) override;
  void sampled(const Sampled& event) override;
  void logged(const Logged& event) override;
  void progressed(const std::string& step, Instant at, double share, const std::string& text) override;
  void monitor(const MonitorEvent& event) override;
  void interlock(const InterlockEvent& event) override;
  void ledger(const LedgerEvent& event) override;
  void made_safe(const MadeSafe& event) override;
  void prompted(const Prompted& event) override;
  void run_ended(const RunEnded& event) override;

  /// Takes the live lines off the screen, for someone who wants to write there.
  void clear();

 private:
  struct Reading {
    Verdict verdict = Verdict::pass;
    std::string text;   // "vdd_core.voltage = 851.2 mV"
    std::string limit;  // "833 mV .. 867 mV"
  };
  struct Open {
    StepStarted started;
    std::vector<Reading> readings;
    std::string now;  // the last thing it said
  };

  void line(const std::string& text);
  void tell_step(const Open& open, const StepEnded& event);
  void tell_readings(const Open& open, int indent);
  void tell_failure(const FailureEvent& event, int indent);
  void notice(Colour colour, const std::string& text);
  void saw(Instant at);
  void draw();

  std::ostream& out_;
  const Style style_;
  const bool live_;
  int drawn_ = 0;
  Instant now_{};
  std::chrono::steady_clock::time_point last_draw_{};
  std::map<std::string, Open> open_;
  std::vector<std::string> order_;                  // of what is open
  std::map<std::string, std::string> last_values_;  // of series, for the live line
};

}  // namespace firstlight::cli
