#pragma once

#include <memory>
#include <ostream>
#include <set>
#include <string>

#include "lab/cli/application.h"
#include "lab/cli/lab_station.h"
#include "lab/runner/takeover.h"

namespace firstlight::cli {

/// Tells people, a line each, what is undone and how it went.
class SafeStatePrinter final : public RunListener {
 public:
  explicit SafeStatePrinter(std::ostream& out) : out_(out) {}
  void logged(const Logged& event) override;
  void ledger(const LedgerEvent& event) override;
  void made_safe(const MadeSafe& event) override;

 private:
  std::ostream& out_;
};

/// Makes the bench of a run safe and ends its record; then makes its report. @return true when the bench is safe
bool take_over_run(SecondStation& station, Scheduler& scheduler, const BenchPlan& bench, TakeoverRequest request,
                   const Surroundings& surroundings);

/// Connects a bench as far as it goes, as often as it takes. What cannot be had is told on `err`, once.
class ReachableBenches {
 public:
  ReachableBenches(const BenchPlan& plan, const Surroundings& surroundings)
      : plan_(plan), surroundings_(surroundings) {}
  std::unique_ptr<Bench> connect(BenchTime& time, TransportProvider& transports);

 private:
  const BenchPlan& plan_;
  const Surroundings& surroundings_;
  std::set<std::string> told_;
};

}  // namespace firstlight::cli
