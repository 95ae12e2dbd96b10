#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/capabilities/clock_source.h"
#include "lab/capabilities/coolant.h"
#include "lab/capabilities/counter.h"
#include "lab/capabilities/identity.h"
#include "lab/capabilities/load.h"
#include "lab/capabilities/meter.h"
#include "lab/capabilities/setpoints.h"
#include "lab/capabilities/supply.h"
#include "lab/capabilities/switch.h"
#include "lab/drivers/scpi/line.h"

namespace firstlight::scpi {

/// What every instrument here has: a line to it, a channel of it, and an identity. Making one talks to nobody.
class Instrument : public Identity {
 public:
  /// @param name for messages: "psu (psu0)" @param channel its place in the personality's list, from 0
  Instrument(std::shared_ptr<Line> line, std::string name, std::size_t channel = 0)
      : line_(std::move(line)), name_(std::move(name)), channel_(channel) {}

  std::string part() const override { return name_; }
  std::map<std::string, std::string> identity() override;
  std::map<std::string, std::string> expected() const override;

 protected:
  const Personality& personality() const { return line_->personality(); }
  bool can(const char* purpose) const { return personality().can(purpose); }
  /// Refuses (class interlock) what is out of the instrument's range before anything is sent; then sets, asks back and
  /// compares.
  void set_checked(const std::string& setting, const Quantity& value);
  double get(const std::string& setting) { return measure("get_" + setting); }
  double measure(const std::string& purpose) { return measure(purpose, channel_); }
  double measure(const std::string& purpose, std::size_t channel);
  bool flag(const std::string& purpose);
  void switch_output(bool on);
  bool output() { return flag("get_output"); }
  /// Of a numbered channel, from 1: its place. Another one throws FailureError (bench).
  std::size_t place_of(int channel, const char* what) const;

 private:
  void check_range(const std::string& setting, const Quantity& value) const;
  /// Refuses a reading that cannot be one (infrastructure).
  void check_possible(const std::string& purpose, std::size_t channel, double value, const std::string& answer) const;
  std::string question(const Exchange& exchange, std::size_t channel) const;
  [[noreturn]] void fail_answer(const std::string& sent, const std::string& answer, const char* wanted) const;

  std::shared_ptr<Line> line_;
  std::string name_;
  std::size_t channel_;
};

class ScpiSupply final : public Instrument, public Supply {
 public:
  using Instrument::Instrument;
  std::string part() const override { return Instrument::part(); }
  void set_voltage(Voltage voltage) override { set_checked("voltage", voltage.quantity()); }
  void set_current_limit(Current limit) override { set_checked("current", limit.quantity()); }
  void set_over_voltage(Voltage threshold) override;
  bool has_over_voltage() const override { return can("set_over_voltage"); }
  Voltage target_voltage() override { return Voltage(get("voltage")); }
  void enable() override { switch_output(true); }
  void disable() override { switch_output(false); }
  bool enabled() override { return output(); }
  Voltage voltage() override { return Voltage(measure("measure_voltage")); }
  Current current() override { return Current(measure("measure_current")); }
  Power power() override { return can("measure_power") ? Power(measure("measure_power")) : voltage() * current(); }
  std::vector<std::string> trips() override;
};

class ScpiMeter final : public Instrument, public Meter {
 public:
  using Instrument::Instrument;
  std::string part() const override { return Instrument::part(); }
  int channels() const override { return personality().channel_count(); }
  Voltage voltage(int channel) override { return Voltage(measure("measure_voltage", place_of(channel, "channel"))); }
};

class ScpiCounter final : public Instrument, public FrequencyCounter {
 public:
  using Instrument::Instrument;
  std::string part() const override { return Instrument::part(); }
  int inputs() const override { return personality().channel_count(); }
  Frequency frequency(int input) override { return Frequency(measure("measure_frequency", place_of(input, "input"))); }
};

class ScpiClock final : public Instrument, public ClockSource {
 public:
  using Instrument::Instrument;
  /// Another instrument counts the output: a generator need not have a counter.
  void count_by(std::function<Frequency(int input)> counter, int inputs);
  std::string part() const override { return Instrument::part(); }
  void set_frequency(Frequency frequency) override { set_checked("frequency", frequency.quantity()); }
  Frequency target_frequency() override { return Frequency(get("frequency")); }
  void enable() override { switch_output(true); }
  void disable() override { switch_output(false); }
  bool enabled() override { return output(); }
  int counter_inputs() const override { return counter_ ? inputs_ : personality().channel_count(); }
  Frequency measured_frequency(int input) override;

 private:
  std::function<Frequency(int input)> counter_;
  int inputs_ = 0;
};

class ScpiCoolant final : public Instrument, public CoolantUnit {
 public:
  using Instrument::Instrument;
  std::string part() const override { return Instrument::part(); }
  void set_temperature(Temperature inlet) override { set_checked("temperature", inlet.quantity()); }
  void set_flow(Flow flow) override { set_checked("flow", flow.quantity()); }
  Temperature target_temperature() override { return Temperature(get("temperature")); }
  Flow target_flow() override { return Flow(get("flow")); }
  void start() override { switch_output(true); }
  void stop() override { switch_output(false); }
  bool running() override { return output(); }
  Temperature inlet() override { return Temperature(measure("measure_inlet")); }
  Temperature outlet() override { return Temperature(measure("measure_outlet")); }
  Flow flow() override { return Flow(measure("measure_flow")); }
  Quantity pressure() override { return {measure("measure_pressure"), Dimension::pressure}; }
  bool leak() override { return flag("leak"); }
};

class ScpiLoad final : public Instrument, public Load {
 public:
  using Instrument::Instrument;
  std::string part() const override { return Instrument::part(); }
  void set_current(Current current) override { set_checked("current", current.quantity()); }
  Current target_current() override { return Current(get("current")); }
  void enable() override { switch_output(true); }
  void disable() override { switch_output(false); }
  bool enabled() override { return output(); }
  Voltage voltage() override { return Voltage(measure("measure_voltage")); }
  Current current() override { return Current(measure("measure_current")); }
  Power power() override { return can("measure_power") ? Power(measure("measure_power")) : voltage() * current(); }
};

/// A chamber has one set point, "temperature", and one switch, "control".
class ScpiChamber final : public Instrument, public Setpoints, public Switch {
 public:
  using Instrument::Instrument;
  std::string part() const override { return Instrument::part(); }
  Temperature temperature() { return Temperature(measure("measure_temperature")); }

  std::vector<std::string> setpoints() override { return {"temperature"}; }
  Dimension dimension(const std::string& setpoint) override;
  void set(const std::string& setpoint, const Quantity& value) override;
  Quantity target(const std::string& setpoint) override;

  std::string part(const std::string&) const override { return Instrument::part(); }
  std::vector<std::string> outlets() override { return {"control"}; }
  void turn_on(const std::string& outlet) override;
  void turn_off(const std::string& outlet) override;
  void cycle(const std::string& outlet) override;
  bool on(const std::string& outlet) override;

 private:
  void require(const std::string& name, const char* known) const;
};

}  // namespace firstlight::scpi
