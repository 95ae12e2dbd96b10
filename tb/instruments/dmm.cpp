#include "tb/instruments/dmm.h"

#include <cmath>
#include <utility>

namespace tb::instruments {

using firstlight::Dimension;

namespace {
const sc_core::sc_time kLatency{300, sc_core::SC_US};
const sc_core::sc_time kRelay{1, sc_core::SC_MS};
const sc_core::sc_time kLineCycle{20, sc_core::SC_MS};
constexpr double kDefaultCycles = 0.1;
constexpr double kDefaultNoise = 1e-4;  // V
}  // namespace

Dmm::Dmm(Agenda& agenda, std::string identity, std::vector<Probe> probes, std::uint64_t seed)
    : ScpiInstrument(agenda, std::move(identity), kLatency, seed), probes_(std::move(probes)), cycles_(kDefaultCycles) {
  const auto scan = [this](ScpiCall& call) {
    const std::vector<int> list = call.channels(static_cast<int>(probes_.size()), {1});
    call.take((kRelay + kLineCycle * cycles_) * static_cast<double>(list.size()));
    std::string values;
    for (const int channel : list) values += (values.empty() ? "" : ",") + measure(channel);
    call.reply(values);
  };
  command("MEASure[:SCALar]:VOLTage[:DC]?", {0, 3}, scan);
  command("[SENSe:]VOLTage[:DC]:NPLCycles", {1, 2}, [this](ScpiCall& call) {
    cycles_ = call.number(0, Dimension::none, {0.02, 10, kDefaultCycles});
  });
  command("[SENSe:]VOLTage[:DC]:NPLCycles?", {0, 1}, [this](ScpiCall& call) { call.reply(cycles_); });
}

void Dmm::reset_settings() { cycles_ = kDefaultCycles; }

std::string Dmm::measure(int channel) {
  const double volts = probes_[static_cast<std::size_t>(channel - 1)]().base();
  return scpi::format_number(volts + noise(kDefaultNoise * std::sqrt(kDefaultCycles / cycles_)));
}

}  // namespace tb::instruments
