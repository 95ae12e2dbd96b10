#pragma once

#include <map>
#include <memory>
#include <string>

#include "lab/capabilities/clock_source.h"
#include "lab/capabilities/coolant.h"
#include "lab/capabilities/identity.h"
#include "lab/capabilities/meter.h"
#include "lab/capabilities/supply.h"
#include "lab/drivers/scpi/personality.h"
#include "lab/drivers/scpi/session.h"

namespace firstlight::scpi {

/// What every instrument here has: a session, a personality and an identity. Making one talks to nobody.
class Instrument : public Identity {
 public:
  /// @param envelope the bench's own maxima by quantity, which tighten the personality's
  Instrument(std::shared_ptr<Session> session, Personality personality, std::map<std::string, Quantity> envelope);

  std::string part() const override { return session_->name(); }
  std::map<std::string, std::string> identity() override;
  std::map<std::string, std::string> expected() const override;

 protected:
  Session& session() { return *session_; }
  const Personality& personality() const { return personality_; }
  /// Refuses (class interlock) before anything is sent; then sets, asks back and compares.
  void set_checked(const std::string& quantity, const Quantity& value);
  double get(const std::string& quantity);
  double measure(const std::string& purpose) { return session_->query_number(personality_.command(purpose)); }
  void switch_output(bool on);
  bool output() { return session_->query_boolean(personality_.command("get_output")); }
  void check_channel(int channel, int count, const char* what) const;

 private:
  std::shared_ptr<Session> session_;
  Personality personality_;
  std::map<std::string, Quantity> envelope_;
};

class ScpiSupply final : public Instrument, public Supply {
 public:
  using Instrument::Instrument;
  std::string part() const override { return Instrument::part(); }
  void set_voltage(Voltage voltage) override { set_checked("voltage", voltage.quantity()); }
  void set_current_limit(Current limit) override { set_checked("current", limit.quantity()); }
  void set_over_voltage(Voltage threshold) override { set_checked("over_voltage", threshold.quantity()); }
  Voltage target_voltage() override { return Voltage(get("voltage")); }
  void enable() override { switch_output(true); }
  void disable() override { switch_output(false); }
  bool enabled() override { return output(); }
  Voltage voltage() override { return Voltage(measure("measure_voltage")); }
  Current current() override { return Current(measure("measure_current")); }
  Power power() override { return Power(measure("measure_power")); }
  std::vector<std::string> trips() override;
};

class ScpiMeter final : public Instrument, public Meter {
 public:
  using Instrument::Instrument;
  std::string part() const override { return Instrument::part(); }
  int channels() const override { return personality().counts.at("channels"); }
  Voltage voltage(int channel) override;
};

class ScpiClock final : public Instrument, public ClockSource {
 public:
  using Instrument::Instrument;
  std::string part() const override { return Instrument::part(); }
  void set_frequency(Frequency frequency) override { set_checked("frequency", frequency.quantity()); }
  Frequency target_frequency() override { return Frequency(get("frequency")); }
  void enable() override { switch_output(true); }
  void disable() override { switch_output(false); }
  bool enabled() override { return output(); }
  int counter_inputs() const override { return personality().counts.at("inputs"); }
  Frequency measured_frequency(int input) override;
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
  bool leak() override { return session().query_boolean(personality().command("leak")); }
};

}  // namespace firstlight::scpi
