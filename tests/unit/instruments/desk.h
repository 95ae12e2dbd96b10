#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "tb/instruments/agenda.h"
#include "tb/instruments/i2c_bus.h"
#include "tb/instruments/output_stage.h"
#include "tb/instruments/scpi_instrument.h"

namespace tb::instruments::testing {

/// The one agenda of the test program.
Agenda& agenda();

inline void pass(double seconds) { sc_core::sc_start(sc_core::sc_time(seconds, sc_core::SC_SEC)); }

/// A power stage that does at once what it is told.
class IdealStage : public OutputStage {
 public:
  void turn_on(firstlight::Voltage target, sc_core::sc_time delay, sc_core::sc_time rise) override {
    on = true;
    volts = target;
    asked_delay = delay;
    asked_rise = rise;
    event();
  }
  void turn_off(sc_core::sc_time delay, sc_core::sc_time fall) override {
    on = false;
    volts = firstlight::Voltage(0);
    asked_delay = delay;
    asked_fall = fall;
    event();
  }
  void move_to(firstlight::Voltage target, firstlight::VoltageSlew slew) override {
    volts = target;
    asked_slew = slew;
    event();
  }
  bool driving() const override { return on; }
  bool settled() const override { return on; }
  firstlight::Voltage voltage() const override { return on ? volts * scale : firstlight::Voltage(0); }
  firstlight::Current current() const override {
    if (!on) return firstlight::Current(0);
    return siemens > 0 ? firstlight::Current(voltage().base() * siemens) : amperes;
  }
  firstlight::Voltage instant_voltage() const override { return voltage() + dip; }
  firstlight::Voltage lowest_voltage() override { return lowest = std::min(lowest, instant_voltage()); }
  firstlight::Voltage highest_voltage() override { return highest = std::max(highest, instant_voltage()); }
  void forget_extremes() override { lowest = highest = instant_voltage(); }
  void watch(std::vector<firstlight::Voltage> list) override { levels = std::move(list); }
  void on_event(std::function<void()> action) override { actions.push_back(std::move(action)); }
  void event() {
    lowest = lowest_voltage();
    highest = highest_voltage();
    for (const auto& action : actions) action();
  }
  /// Falls by so much, and is back again.
  void dip_by(firstlight::Voltage depth) {
    dip = firstlight::Voltage(-depth.base());
    event();
    dip = firstlight::Voltage(0);
    event();
  }

  firstlight::Voltage dip, lowest, highest;
  bool on = false;
  double scale = 1;
  firstlight::Voltage volts;
  firstlight::Current amperes{1};
  double siemens = 0;  // a resistive load in place of a constant current
  sc_core::sc_time asked_delay, asked_rise, asked_fall;
  firstlight::VoltageSlew asked_slew;
  std::vector<firstlight::Voltage> levels;
  std::vector<std::function<void()>> actions;
};

using Bytes = std::vector<std::uint8_t>;

/// One transfer on the bus, to its end.
inline firstlight::I2cResult transfer(I2cBusModel& bus, std::uint8_t address,
                                      std::vector<firstlight::I2cMessage> messages) {
  firstlight::I2cResult result;
  bool done = false;
  bus.post({address, std::move(messages)}, [&](const firstlight::I2cResult& r) {
    result = r;
    done = true;
  });
  for (int i = 0; i < 1000 && !done; ++i) pass(100e-6);
  if (!done) result.status = firstlight::I2cStatus::timeout;
  return result;
}
inline firstlight::I2cResult write(I2cBusModel& bus, std::uint8_t address, Bytes bytes) {
  return transfer(bus, address, {firstlight::I2cMessage::writing(std::move(bytes))});
}
/// A command, a repeated START, and a read of `count` bytes.
inline firstlight::I2cResult read(I2cBusModel& bus, std::uint8_t address, std::uint8_t command, std::size_t count) {
  return transfer(bus, address, {firstlight::I2cMessage::writing({command}), firstlight::I2cMessage::reading(count)});
}

/// Sends a program message and returns what comes back within `seconds`.
inline std::string ask(ScpiInstrument& instrument, const std::string& message, double seconds = 0.5) {
  std::string answer;
  instrument.on_reply([&](const std::string& text) { answer += text; });
  instrument.receive(message + "\n");
  pass(seconds);
  instrument.on_reply(nullptr);
  return answer;
}

}  // namespace tb::instruments::testing
