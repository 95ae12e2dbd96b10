#include "lab/capabilities/safeguard.h"

#include <fmt/format.h>

#include "lab/capabilities/clock_source.h"
#include "lab/capabilities/coolant.h"
#include "lab/capabilities/load.h"
#include "lab/capabilities/setpoints.h"
#include "lab/capabilities/supply.h"
#include "lab/capabilities/switch.h"
#include "lab/core/failure.h"

namespace firstlight {

namespace {

constexpr const char* kSymptom = "instrument_envelope";

/// What guards of instruments have in common.
class Guard {
 public:
  Guard(std::string driver, Safeguard& safeguard) : driver_(std::move(driver)), safeguard_(safeguard) {}

 protected:
  void require(const std::string& setting, const Quantity& value, const std::string& part) const {
    safeguard_.require(safeguard_.envelope().setting(driver_, setting, value), kSymptom,
                       fmt::format("a {} for {}", setting, driver_), part);
  }
  void require_running(const std::string& part) const { safeguard_.require_running("switching it on", part); }

 private:
  std::string driver_;
  Safeguard& safeguard_;
};

class GuardedSupply final : public Supply, private Guard {
 public:
  GuardedSupply(Supply& supply, const std::string& driver, Safeguard& safeguard)
      : Guard(driver, safeguard), supply_(supply) {}
  std::string part() const override { return supply_.part(); }
  void set_voltage(Voltage voltage) override {
    require("voltage", voltage.quantity(), part());
    supply_.set_voltage(voltage);
  }
  void set_current_limit(Current limit) override {
    require("current", limit.quantity(), part());
    supply_.set_current_limit(limit);
  }
  void set_over_voltage(Voltage threshold) override {
    require("over_voltage", threshold.quantity(), part());
    supply_.set_over_voltage(threshold);
  }
  bool has_over_voltage() const override { return supply_.has_over_voltage(); }
  Voltage target_voltage() override { return supply_.target_voltage(); }
  void enable() override {
    require_running(part());
    require("voltage", supply_.target_voltage().quantity(), part());  // whoever stored it
    supply_.enable();
  }
  void disable() override { supply_.disable(); }
  bool enabled() override { return supply_.enabled(); }
  Voltage voltage() override { return supply_.voltage(); }
  Current current() override { return supply_.current(); }
  Power power() override { return supply_.power(); }
  std::vector<std::string> trips() override { return supply_.trips(); }

 private:
  Supply& supply_;
};

class GuardedClock final : public ClockSource, private Guard {
 public:
  GuardedClock(ClockSource& clock, const std::string& driver, Safeguard& safeguard)
      : Guard(driver, safeguard), clock_(clock) {}
  std::string part() const override { return clock_.part(); }
  void set_frequency(Frequency frequency) override {
    require("frequency", frequency.quantity(), part());
    clock_.set_frequency(frequency);
  }
  Frequency target_frequency() override { return clock_.target_frequency(); }
  void enable() override {
    require_running(part());
    require("frequency", clock_.target_frequency().quantity(), part());
    clock_.enable();
  }
  void disable() override { clock_.disable(); }
  bool enabled() override { return clock_.enabled(); }
  int counter_inputs() const override { return clock_.counter_inputs(); }
  Frequency measured_frequency(int input) override { return clock_.measured_frequency(input); }

 private:
  ClockSource& clock_;
};

/// A pump that runs does no harm, so it may be started while the bench is made safe.
class GuardedCoolant final : public CoolantUnit, private Guard {
 public:
  GuardedCoolant(CoolantUnit& unit, const std::string& driver, Safeguard& safeguard)
      : Guard(driver, safeguard), unit_(unit) {}
  std::string part() const override { return unit_.part(); }
  void set_temperature(Temperature inlet) override {
    require("temperature", inlet.quantity(), part());
    unit_.set_temperature(inlet);
  }
  void set_flow(Flow flow) override {
    require("flow", flow.quantity(), part());
    unit_.set_flow(flow);
  }
  Temperature target_temperature() override { return unit_.target_temperature(); }
  Flow target_flow() override { return unit_.target_flow(); }
  void start() override { unit_.start(); }
  void stop() override { unit_.stop(); }
  bool running() override { return unit_.running(); }
  Temperature inlet() override { return unit_.inlet(); }
  Temperature outlet() override { return unit_.outlet(); }
  Flow flow() override { return unit_.flow(); }
  Quantity pressure() override { return unit_.pressure(); }
  bool leak() override { return unit_.leak(); }

 private:
  CoolantUnit& unit_;
};

class GuardedLoad final : public Load, private Guard {
 public:
  GuardedLoad(Load& load, const std::string& driver, Safeguard& safeguard) : Guard(driver, safeguard), load_(load) {}
  std::string part() const override { return load_.part(); }
  void set_current(Current current) override {
    require("current", current.quantity(), part());
    load_.set_current(current);
  }
  Current target_current() override { return load_.target_current(); }
  void enable() override {
    require_running(part());
    require("current", load_.target_current().quantity(), part());
    load_.enable();
  }
  void disable() override { load_.disable(); }
  bool enabled() override { return load_.enabled(); }
  Voltage voltage() override { return load_.voltage(); }
  Current current() override { return load_.current(); }
  Power power() override { return load_.power(); }

 private:
  Load& load_;
};

/// What is held at a value may be moved also while the bench is made safe: back is a value, too.
class GuardedSetpoints final : public Setpoints, private Guard {
 public:
  GuardedSetpoints(Setpoints& setpoints, const std::string& driver, Safeguard& safeguard)
      : Guard(driver, safeguard), setpoints_(setpoints) {}
  std::string part() const override { return setpoints_.part(); }
  std::vector<std::string> setpoints() override { return setpoints_.setpoints(); }
  Dimension dimension(const std::string& setpoint) override { return setpoints_.dimension(setpoint); }
  void set(const std::string& setpoint, const Quantity& value) override {
    require(setpoint, value, part());
    setpoints_.set(setpoint, value);
  }
  Quantity target(const std::string& setpoint) override { return setpoints_.target(setpoint); }

 private:
  Setpoints& setpoints_;
};

class GuardedSwitch final : public Switch, private Guard {
 public:
  GuardedSwitch(Switch& outlets, const std::string& driver, Safeguard& safeguard)
      : Guard(driver, safeguard), switch_(outlets) {}
  std::string part(const std::string& outlet) const override { return switch_.part(outlet); }
  std::vector<std::string> outlets() override { return switch_.outlets(); }
  void turn_on(const std::string& outlet) override {
    require_running(part(outlet));
    switch_.turn_on(outlet);
  }
  void turn_off(const std::string& outlet) override { switch_.turn_off(outlet); }
  void cycle(const std::string& outlet) override {
    require_running(part(outlet));
    switch_.cycle(outlet);
  }
  bool on(const std::string& outlet) override { return switch_.on(outlet); }

 private:
  Switch& switch_;
};

}  // namespace

void Safeguard::require_running(const std::string& what, const std::string& part) const {
  if (!safe_state_) return;
  throw FailureError({ErrorClass::interlock, "bench_made_safe",
                      fmt::format("{} is refused: the bench is being made safe", what), part, "nothing was sent", "",
                      "the run has ended or was stopped while this step was at work"});
}

void Safeguard::require(const Envelope::Objection& objection, const std::string& symptom, const std::string& what,
                        const std::string& part) const {
  if (!objection) return;
  throw FailureError({ErrorClass::interlock, symptom, fmt::format("{} is refused: {}", what, *objection), part,
                      "nothing was sent", "", "the sequence asks for more than the bench's envelope"});
}

std::shared_ptr<Supply> guarded(Supply& supply, const std::string& driver, Safeguard& safeguard) {
  return std::make_shared<GuardedSupply>(supply, driver, safeguard);
}
std::shared_ptr<ClockSource> guarded(ClockSource& clock, const std::string& driver, Safeguard& safeguard) {
  return std::make_shared<GuardedClock>(clock, driver, safeguard);
}
std::shared_ptr<CoolantUnit> guarded(CoolantUnit& unit, const std::string& driver, Safeguard& safeguard) {
  return std::make_shared<GuardedCoolant>(unit, driver, safeguard);
}
std::shared_ptr<Load> guarded(Load& load, const std::string& driver, Safeguard& safeguard) {
  return std::make_shared<GuardedLoad>(load, driver, safeguard);
}
std::shared_ptr<Setpoints> guarded(Setpoints& setpoints, const std::string& driver, Safeguard& safeguard) {
  return std::make_shared<GuardedSetpoints>(setpoints, driver, safeguard);
}
std::shared_ptr<Switch> guarded(Switch& outlets, const std::string& driver, Safeguard& safeguard) {
  return std::make_shared<GuardedSwitch>(outlets, driver, safeguard);
}

}  // namespace firstlight
