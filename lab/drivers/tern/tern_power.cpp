#include "lab/drivers/tern/tern_power.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/core/failure.h"
#include "lab/drivers/tern/fields.h"

namespace firstlight::tern {
namespace {
constexpr std::uint32_t kNoRail = 7;
// Reads of the host port and the sequencer's own steps, on top of what the timers allow.
constexpr double kOverheadRefCycles = 4096;
}  // namespace

TernPower::TernPower(std::string name, Registers& registers, TernClock clock, std::vector<std::string> rails)
    : name_(std::move(name)), registers_(registers), clock_(clock), rails_(std::move(rails)) {}

std::string TernPower::part() const { return name_ + " power sequencer"; }

std::vector<std::string> TernPower::rail_names(std::uint32_t bits) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rails_.size(); ++i)
    if ((bits >> i) & 1U) names.push_back(rails_[i]);
  return names;
}

void TernPower::start() { registers_.write("power.ctrl.start", 1); }
void TernPower::stop() { registers_.write("power.ctrl.stop", 1); }
void TernPower::clear_fault() { registers_.write("power.ctrl.clear_fault", 1); }
void TernPower::clear_counts() { registers_.write("power.ctrl.clear_counts", 1); }

ChipPowerState TernPower::state() {
  const Fields status(registers_, "power.status", registers_.read("power.status"));
  const Fields history(registers_, "power.lock_history", registers_.read("power.lock_history"));
  ChipPowerState out;
  out.state = status.name("state");
  out.running = out.state == "run" && status["core_running"] != 0;
  out.pll_locked = status["pll_lock"] != 0;
  out.lock_lost = history["lost"] != 0;
  out.lock_rises = history["rises"];
  out.rails_good = rail_names(status["rail_good"]);
  out.rails_missing = rail_names(status["rail_missing"]);
  out.text =
      fmt::format("power.status {:#010x} ({}), power.lock_history {:#010x}", status.raw(), out.state, history.raw());
  return out;
}

std::optional<ChipFault> TernPower::fault() {
  const Fields snapshot(registers_, "power.fault", registers_.read("power.fault"));
  if (snapshot["valid"] == 0) return std::nullopt;
  const std::uint64_t low = registers_.read("power.fault_time_lo");
  const std::uint64_t high = registers_.read("power.fault_time_hi");
  ChipFault out;
  out.cause = snapshot.name("cause");
  const std::uint32_t rail = snapshot["rail"];
  if (rail != kNoRail && rail < rails_.size()) out.rail = rails_[rail];
  out.state = snapshot.name("state");
  out.time = clock_.ref_seconds((high << 32U) | low);
  out.injected = snapshot["injected"] != 0;
  out.text = fmt::format("power.fault {:#010x}, at ref cycle {}", snapshot.raw(), (high << 32U) | low);
  if (out.cause == "freq") {
    // The window that was judged stays readable when the fault has turned the PLL off.
    const Fields measured(registers_, "power.freq_measured", registers_.read("power.freq_measured"));
    out.text += fmt::format(", core clock {} of {}", to_text(counted(measured["count"])), to_text(expected()));
  }
  return out;
}

void TernPower::inject_fault(const std::string& cause, const std::string& rail) {
  const Fields inject(registers_, "power.fault_inject");
  std::uint32_t index = kNoRail;
  if (!rail.empty()) {
    const auto it = std::find(rails_.begin(), rails_.end(), rail);
    if (it == rails_.end()) {
      Failure failure;
      failure.error_class = ErrorClass::bench;
      failure.symptom = "unknown_rail";
      failure.message = fmt::format("{} has no rail {}; it has {}", name_, rail, fmt::join(rails_, ", "));
      failure.part = part();
      throw FailureError(failure);
    }
    index = static_cast<std::uint32_t>(it - rails_.begin());
  }
  registers_.write("power.fault_inject",
                   inject.place("cause", inject.value_of("cause", cause)) | inject.place("rail", index));
}

CoreFrequency TernPower::core_frequency() {
  const Fields measured(registers_, "power.freq_measured", registers_.read("power.freq_measured"));
  if (measured["valid"] == 0) {
    Failure failure;
    failure.error_class = ErrorClass::dut;
    failure.symptom = "frequency_not_measured";
    failure.message = fmt::format("{} has not measured its core clock yet", name_);
    failure.part = part();
    failure.received = fmt::format("power.freq_measured {:#010x}", measured.raw());
    failure.likely_cause = "the PLL is off, or the core clock stands still";
    throw FailureError(failure);
  }
  CoreFrequency out;
  out.resolution = counted(1);
  out.measured = counted(measured["count"]);
  out.expected = expected();
  out.text = fmt::format("{} core cycles at {} a cycle", measured["count"], to_text(out.resolution));
  return out;
}

Frequency TernPower::counted(std::uint32_t cycles) {
  const double window = std::max<std::uint32_t>(1, registers_.read("power.freq.window"));
  return clock_.reference * (static_cast<double>(cycles) / window);
}

Frequency TernPower::expected() { return clock_.reference * static_cast<double>(registers_.read("power.pll.mult")); }

Duration TernPower::start_limit() {
  const double rails = registers_.read("power.timeout_rails");
  const double lock = registers_.read("power.timeout_lock");
  const double window = registers_.read("power.freq.window");
  const double release = registers_.read("power.delays.reset_release");
  // Every rail is already good when a bench starts the chip, so the long wait for rails is capped by the other waits.
  return clock_.ref_cycles(std::min(rails, lock) + lock + 3 * window + release + kOverheadRefCycles);
}

std::vector<ChipPower::RailEvents> TernPower::rail_events() {
  std::vector<RailEvents> out;
  for (std::size_t i = 0; i < rails_.size(); ++i) {
    const std::string reg = fmt::format("power.rail_events[{}]", i);
    const Fields events(registers_, reg, registers_.read(reg));
    out.push_back({rails_[i], events["drops"], events["glitches"]});
  }
  return out;
}

}  // namespace firstlight::tern
