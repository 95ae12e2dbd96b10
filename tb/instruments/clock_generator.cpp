#include "tb/instruments/clock_generator.h"

#include <utility>

namespace tb::instruments {

using firstlight::Dimension;
using firstlight::Frequency;

namespace {
const sc_core::sc_time kLatency{200, sc_core::SC_US};
const sc_core::sc_time kGate{10, sc_core::SC_MS};
const sc_core::sc_time kSettle{1, sc_core::SC_MS};
constexpr Frequency kDefault{100e6};
constexpr double kLowest = 1e6;
constexpr double kHighest = 400e6;
constexpr double kTimebase = 0.2e-6;  // noise of one reading, as a share of it
}  // namespace

ClockGenerator::ClockGenerator(Agenda& agenda, std::string identity, Output output, std::vector<Probe> probes,
                               std::uint64_t seed)
    : ScpiInstrument(agenda, std::move(identity), kLatency, seed),
      output_(std::move(output)),
      probes_(std::move(probes)),
      frequency_(kDefault) {
  command("[SOURce:]FREQuency[:CW]", {1, 1}, [this](ScpiCall& call) {
    frequency_ = Frequency(call.number(0, Dimension::frequency, {kLowest, kHighest, kDefault.base()}));
    call.overlap(kSettle);
    apply();
  });
  command("[SOURce:]FREQuency[:CW]?", [this](ScpiCall& call) { call.reply(frequency_.base()); });
  command("OUTPut[:STATe]", {1, 1}, [this](ScpiCall& call) {
    on_ = call.boolean(0);
    call.overlap(kSettle);
    apply();
  });
  command("OUTPut[:STATe]?", [this](ScpiCall& call) { call.reply(on_ ? "1" : "0"); });
  command("MEASure[:SCALar]:FREQuency?", {0, 1}, [this](ScpiCall& call) {
    if (call.count() == 1 && call.text(0).front() != '(') throw scpi::Error(-171, call.text(0));
    const std::vector<int> list = call.channels(static_cast<int>(probes_.size()), {1});
    call.take(kGate * static_cast<double>(list.size()));
    std::string values;
    for (const int channel : list) {
      const double count = probes_[static_cast<std::size_t>(channel - 1)]().base() * (1 + noise(kTimebase));
      // Ten digits, as counters give.
      values += (values.empty() ? "" : ",") + scpi::format_number(count, 9);
    }
    call.reply(values);
  });
}

void ClockGenerator::reset_settings() {
  frequency_ = kDefault;
  on_ = false;
  apply();
}

void ClockGenerator::apply() { output_(on_ ? frequency_ : Frequency(0)); }

}  // namespace tb::instruments
