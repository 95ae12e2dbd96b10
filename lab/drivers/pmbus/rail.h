#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "lab/capabilities/rail.h"
#include "lab/drivers/pmbus/device.h"

namespace firstlight::pmbus {

/// One output of a PMBus regulator.
class PmbusRail final : public Rail {
 public:
  /// @param pgood reads the power-good pin; empty when the bench names none
  PmbusRail(RailPlan plan, std::shared_ptr<Device> device, std::function<bool()> pgood);

  const RailPlan& plan() const override { return plan_; }
  std::string part() const override { return device_->part(plan_.page); }
  void set_voltage(Voltage voltage) override;
  Voltage target_voltage() override;
  void enable() override;
  void disable() override;
  void set_margin(Margin margin) override;
  Voltage margin_voltage(Margin margin) override;
  Margin margin() override;
  Voltage settable(Voltage voltage) override;
  Voltage offset() override;
  std::optional<VoltageSlew> transition_rate() override;
  Voltage voltage() override;
  Voltage lowest_voltage() override;
  Voltage highest_voltage() override;
  void clear_extremes() override;
  Current current() override;
  Temperature temperature() override;
  RailStatus status() override;
  void clear_faults() override;
  Duration rise_time() override;
  Duration fall_time() override;
  std::optional<bool> power_good_pin() override;

 private:
  Voltage vout(Command command);
  const PeakCapture& peaks() const;
  Voltage extreme(const std::optional<Command>& command);
  Voltage trim(Command command);
  double milliseconds_of(Command command);
  Duration milliseconds(Command first, Command second);

  RailPlan plan_;
  std::shared_ptr<Device> device_;
  std::function<bool()> pgood_;
  std::set<Command> no_trims_;  // of VOUT_TRIM and VOUT_CAL_OFFSET, what the part has turned out not to have
};

}  // namespace firstlight::pmbus
