#pragma once

#include <memory>
#include <ostream>
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

/// The bench with every driver that can be had; what cannot is told on `err`.
std::unique_ptr<Bench> reachable_bench(const BenchPlan& plan, BenchTime& time, TransportProvider& transports,
                                       const Surroundings& surroundings);

}  // namespace firstlight::cli
