#include "tb/instruments/coolant_unit.h"

#include <algorithm>
#include <utility>

namespace tb::instruments {

using firstlight::Dimension;
using firstlight::Flow;
using firstlight::Temperature;

namespace {
const sc_core::sc_time kLatency{500, sc_core::SC_US};
const sc_core::sc_time kSpinUp{1, sc_core::SC_SEC};
constexpr Temperature kDefaultTemperature{30};
constexpr Flow kDefaultFlow{2};
}  // namespace

CoolantUnit::CoolantUnit(Agenda& agenda, std::string identity, CoolantLoop& loop, std::uint64_t seed)
    : ScpiInstrument(agenda, std::move(identity), kLatency, seed),
      loop_(loop),
      temperature_(kDefaultTemperature),
      flow_(kDefaultFlow) {
  command("[SOURce:]TEMPerature[:SETPoint]", {1, 1}, [this](ScpiCall& call) {
    temperature_ = Temperature(call.number(0, Dimension::temperature, {10, 60, kDefaultTemperature.base()}));
    apply();
  });
  command("[SOURce:]TEMPerature[:SETPoint]?", [this](ScpiCall& call) { call.reply(temperature_.base()); });
  command("[SOURce:]FLOW[:SETPoint]", {1, 1}, [this](ScpiCall& call) {
    flow_ = Flow(call.number(0, Dimension::flow, {0, 6, kDefaultFlow.base()}));
    apply();
  });
  command("[SOURce:]FLOW[:SETPoint]?", [this](ScpiCall& call) { call.reply(flow_.base()); });
  command("OUTPut[:STATe]", {1, 1}, [this](ScpiCall& call) {
    const bool on = call.boolean(0);
    if (on != on_) call.overlap(kSpinUp);
    on_ = on;
    apply();
  });
  command("OUTPut[:STATe]?", [this](ScpiCall& call) { call.reply(on_ ? "1" : "0"); });
  add_measurements();
}

void CoolantUnit::add_measurements() {
  command("MEASure[:SCALar]:TEMPerature?", {0, 1}, [this](ScpiCall& call) {
    if (call.count() == 1 && call.text(0).front() != '(') throw scpi::Error(-171, call.text(0));
    std::string values;
    for (const int channel : call.channels(2, {1})) {
      const Temperature value = channel == 1 ? loop_.inlet() : loop_.outlet();
      values += (values.empty() ? "" : ",") + scpi::format_number(value.base() + noise(0.02));
    }
    call.reply(values);
  });
  command("MEASure[:SCALar]:FLOW?", [this](ScpiCall& call) {
    const double flow = loop_.flow().base();
    call.reply(flow > 0 ? std::max(0.0, flow + noise(0.01)) : 0.0);
  });
  command("MEASure[:SCALar]:PRESsure?",
          [this](ScpiCall& call) { call.reply(std::max(0.0, loop_.pressure_pascal() + noise(50))); });
  command("LEAK[:STATe]?", [this](ScpiCall& call) { call.reply(loop_.leaks() ? "1" : "0"); });
}

void CoolantUnit::reset_settings() {
  temperature_ = kDefaultTemperature;
  flow_ = kDefaultFlow;
  on_ = false;
  apply();
}

}  // namespace tb::instruments
