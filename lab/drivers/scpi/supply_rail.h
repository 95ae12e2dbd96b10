#pragma once

#include <optional>
#include <string>

#include "lab/capabilities/bench.h"
#include "lab/capabilities/rail.h"
#include "lab/capabilities/supply.h"

namespace firstlight::scpi {

/// A rail that a bench supply makes: its envelope goes into the supply's own protections before it is turned on.
class SupplyRail final : public Rail {
 public:
  /// @param bench hands out the supply, guarded by the bounds of its driver @param settle how long the output takes to
  /// be there, and to be gone
  SupplyRail(RailPlan plan, Bench& bench, Duration settle) : plan_(std::move(plan)), bench_(bench), settle_(settle) {}

  const RailPlan& plan() const override { return plan_; }
  std::string part() const override;
  void set_voltage(Voltage voltage) override { supply().set_voltage(voltage); }
  Voltage target_voltage() override { return supply().target_voltage(); }
  void enable() override;
  void disable() override { supply().disable(); }
  void set_margin(Margin margin) override;
  Voltage margin_voltage(Margin margin) override;
  Voltage voltage() override { return supply().voltage(); }
  Current current() override { return supply().current(); }
  Temperature temperature() override;
  RailStatus status() override;
  void clear_faults() override {}
  Duration rise_time() override { return settle_; }
  Duration fall_time() override { return settle_; }
  std::optional<bool> power_good_pin() override { return std::nullopt; }

 private:
  Supply& supply() { return bench_.get<Supply>(plan_.driver); }
  [[noreturn]] void lacks(const std::string& what) const;

  RailPlan plan_;
  Bench& bench_;
  Duration settle_;
};

}  // namespace firstlight::scpi
