#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/capabilities/coolant.h"
#include "lab/capabilities/setpoints.h"
#include "lab/capabilities/switch.h"
#include "lab/core/bench_time.h"
#include "lab/drivers/points/offers.h"
#include "lab/drivers/points/point_device.h"

namespace firstlight {

class PointSetpoints final : public Setpoints {
 public:
  PointSetpoints(std::shared_ptr<PointDevice> device, PointLimits limits);

  std::string part() const override { return device_->part(); }
  std::vector<std::string> setpoints() override;
  Dimension dimension(const std::string& setpoint) override { return find(setpoint).dimension; }
  void set(const std::string& setpoint, const Quantity& value) override;
  Quantity target(const std::string& setpoint) override;

 private:
  PointSetting find(const std::string& setpoint);
  void check(const PointSetting& setting, const Quantity& value) const;

  std::shared_ptr<PointDevice> device_;
  PointLimits limits_;
};

class PointSwitch final : public Switch {
 public:
  PointSwitch(std::shared_ptr<PointDevice> device, PointLimits limits, BenchTime& time);

  std::string part(const std::string& outlet) const override;
  std::vector<std::string> outlets() override { return device_->outputs(); }
  void turn_on(const std::string& outlet) override { turn(outlet, true); }
  void turn_off(const std::string& outlet) override { turn(outlet, false); }
  void cycle(const std::string& outlet) override;
  bool on(const std::string& outlet) override;

 private:
  void check(const std::string& outlet);
  void turn(const std::string& outlet, bool on);

  std::shared_ptr<PointDevice> device_;
  PointLimits limits_;
  BenchTime& time_;
};

class PointCoolant final : public CoolantUnit {
 public:
  PointCoolant(const std::shared_ptr<PointDevice>& device, const PointLimits& limits, BenchTime& time);

  std::string part() const override { return device_->part(); }
  void set_temperature(Temperature inlet) override { setpoints_.set("temperature", inlet.quantity()); }
  void set_flow(Flow flow) override { setpoints_.set("flow", flow.quantity()); }
  Temperature target_temperature() override { return Temperature(setpoints_.target("temperature")); }
  Flow target_flow() override { return Flow(setpoints_.target("flow")); }
  void start() override { switch_.turn_on("pump"); }
  void stop() override { switch_.turn_off("pump"); }
  bool running() override { return switch_.on("pump"); }
  Temperature inlet() override { return Temperature(device_->read("inlet")); }
  Temperature outlet() override { return Temperature(device_->read("outlet")); }
  Flow flow() override { return Flow(device_->read("flow")); }
  Quantity pressure() override { return device_->read("pressure"); }
  bool leak() override { return device_->read("leak").value != 0; }

 private:
  std::shared_ptr<PointDevice> device_;
  PointSetpoints setpoints_;
  PointSwitch switch_;
};

}  // namespace firstlight
