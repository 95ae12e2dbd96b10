#include "tb/instruments/psu.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tb::instruments {

using firstlight::Current;
using firstlight::Dimension;
using firstlight::Voltage;
using firstlight::VoltageSlew;

namespace {
const sc_core::sc_time kLatency{200, sc_core::SC_US};
const sc_core::sc_time kAperture{2, sc_core::SC_MS};
const sc_core::sc_time kRise{10, sc_core::SC_MS};
constexpr VoltageSlew kSlew{2000};  // V/s
constexpr VoltageSlew kAtOnce{0};
constexpr double kLimitTolerance = 1.001;
constexpr double kHeadroom = 1.1;  // protection level and ratings above the nominal ones
}  // namespace

Psu::Psu(Agenda& agenda, std::string identity, OutputStage& output, Ratings ratings, std::uint64_t seed)
    : ScpiInstrument(agenda, std::move(identity), kLatency, seed), output_(output), ratings_(ratings) {
  add_settings();
  add_measurements();
  reset_settings();
  output_.on_event([this] { regulate(); });
}

void Psu::reset_settings() {
  turn(false);
  volts_ = Voltage(0);
  limit_ = ratings_.amperes;
  protection_ = ratings_.volts * kHeadroom;
  current_protection_ = overvoltage_ = overcurrent_ = false;
  publish();
}

void Psu::add_settings() {
  const double volts = ratings_.volts.base();
  const double amperes = ratings_.amperes.base();
  command("[SOURce:]VOLTage[:LEVel][:IMMediate][:AMPLitude]", {1, 1}, [this, volts](ScpiCall& call) {
    const Voltage value(call.number(0, Dimension::voltage, {0, volts, 0}));
    if (value > protection_) throw scpi::Error(-221, "VOLT is above VOLT:PROT");
    volts_ = value;
    limited_ = false;
    held_ = volts_;
    if (on_) output_.move_to(volts_, kSlew);
  });
  command("[SOURce:]VOLTage[:LEVel][:IMMediate][:AMPLitude]?", [this](ScpiCall& call) { call.reply(volts_.base()); });
  command("[SOURce:]CURRent[:LEVel][:IMMediate][:AMPLitude]", {1, 1}, [this, amperes](ScpiCall& call) {
    limit_ = Current(call.number(0, Dimension::current, {0, amperes, amperes}));
    regulate();
  });
  command("[SOURce:]CURRent[:LEVel][:IMMediate][:AMPLitude]?", [this](ScpiCall& call) { call.reply(limit_.base()); });
  command("[SOURce:]VOLTage:PROTection[:LEVel]", {1, 1}, [this, volts](ScpiCall& call) {
    const Voltage value(call.number(0, Dimension::voltage, {0, volts * kHeadroom, volts * kHeadroom}));
    if (value < volts_) throw scpi::Error(-221, "VOLT:PROT is below VOLT");
    protection_ = value;
    regulate();
  });
  command("[SOURce:]VOLTage:PROTection[:LEVel]?", [this](ScpiCall& call) { call.reply(protection_.base()); });
  command("[SOURce:]CURRent:PROTection:STATe", {1, 1}, [this](ScpiCall& call) {
    current_protection_ = call.boolean(0);
    regulate();
  });
  command("[SOURce:]CURRent:PROTection:STATe?",
          [this](ScpiCall& call) { call.reply(current_protection_ ? "1" : "0"); });
  command("OUTPut[:STATe]", {1, 1}, [this](ScpiCall& call) {
    const bool on = call.boolean(0);
    if (on && (overvoltage_ || overcurrent_)) throw scpi::Error(-221, "protection has tripped");
    if (on && !on_) call.overlap(kRise);
    turn(on);
  });
  command("OUTPut[:STATe]?", [this](ScpiCall& call) { call.reply(on_ ? "1" : "0"); });
  // Who sits at the front panel changes nothing here.
  for (const char* keeper : {"SYSTem:REMote", "SYSTem:LOCal", "SYSTem:RWLock"}) command(keeper, [](ScpiCall&) {});
  command("OUTPut:PROTection:CLEar", [this](ScpiCall&) {
    overvoltage_ = overcurrent_ = false;
    publish();
  });
}

void Psu::add_measurements() {
  command("MEASure[:SCALar]:VOLTage[:DC]?", [this](ScpiCall& call) {
    call.take(kAperture);
    call.reply(output_.voltage().base() + noise(1e-3));
  });
  command("MEASure[:SCALar]:CURRent[:DC]?", [this](ScpiCall& call) {
    call.take(kAperture);
    call.reply(std::max(0.0, output_.current().base() + noise(2e-3)));
  });
  command("MEASure[:SCALar]:POWer[:DC]?", [this](ScpiCall& call) {
    call.take(kAperture);
    call.reply(std::max(0.0, (output_.voltage() * output_.current()).base() + noise(2e-2)));
  });
  command("[SOURce:]VOLTage:PROTection:TRIPped?", [this](ScpiCall& call) { call.reply(overvoltage_ ? "1" : "0"); });
  command("[SOURce:]CURRent:PROTection:TRIPped?", [this](ScpiCall& call) { call.reply(overcurrent_ ? "1" : "0"); });
}

void Psu::turn(bool on) {
  if (on == on_) return;
  on_ = on;
  limited_ = false;
  held_ = volts_;
  if (on)
    output_.turn_on(volts_, sc_core::SC_ZERO_TIME, kRise);
  else
    output_.turn_off(sc_core::SC_ZERO_TIME, sc_core::SC_ZERO_TIME);
  publish();
}

void Psu::trip(bool& latch) {
  latch = true;
  turn(false);
  publish();
}

void Psu::regulate() {
  // Moving the output is an event of the output.
  if (!on_ || regulating_) return;
  regulating_ = true;
  if (output_.voltage() > protection_)
    trip(overvoltage_);
  else
    limit_current();
  regulating_ = false;
}

void Psu::limit_current() {
  const double current = output_.current().base();
  if (current <= limit_.base() * kLimitTolerance && !limited_) return;
  if (current > limit_.base() * kLimitTolerance && current_protection_) return trip(overcurrent_);
  if (current <= 0) return;
  // The loads are linear for the moment, so the set point that gives the limit is in proportion.
  const Voltage wanted = std::min(volts_, held_ * (limit_.base() / current));
  const bool limits = wanted < volts_;
  if (limits == limited_ && std::abs(wanted / held_ - 1) < kLimitTolerance - 1) return;
  limited_ = limits;
  held_ = wanted;
  output_.move_to(held_, limits ? kAtOnce : kSlew);
  publish();
}

void Psu::publish() {
  set_questionable(static_cast<std::uint16_t>((limited_ ? 1U << 0U : 0U) | (overcurrent_ ? 1U << 1U : 0U) |
                                              (overvoltage_ ? 1U << 9U : 0U)));
}

}  // namespace tb::instruments
