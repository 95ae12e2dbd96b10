#include <fmt/format.h>

#include <algorithm>

#include "lab/capabilities/chip_power.h"
#include "lab/capabilities/rail.h"
#include "lab/steps/families.h"
#include "lab/steps/support.h"
#include "lab/steps/undo.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kPoll{2'000'000'000};
constexpr double kFrequencyTolerance = 0.01;
const char* const kKey = "chip power sequencer";

ChipPower& power_of(StepContext& step) { return step.bench().get<ChipPower>(); }

/// The rail that the chip misses may be bad, or good and not reach the chip.
Failure missing_rail(StepContext& step, ChipPower& power, const ChipPowerState& state) {
  const std::string rail = state.rails_missing.front();
  Rail& board = step.bench().rail(rail);
  const RailStatus status = board.status();
  const bool good = status.on && status.power_good;
  return {ErrorClass::dut,
          "chip_rail_missing",
          fmt::format("{} waits for {}, which is {} by its regulator", power.part(), rail, good ? "good" : "not good"),
          good ? fmt::format("power-good pin of {}", rail) : board.part(),
          "power.ctrl.start = 1",
          state.text + "; " + status.text,
          good ? "the rail's power-good does not reach the chip's pin" : "the rail dropped after it was turned on"};
}

Failure start_failure(StepContext& step, ChipPower& power, const ChipPowerState& state,
                      const std::optional<ChipFault>& fault) {
  const std::string cause = fault ? fault->cause : "";
  if (!state.rails_missing.empty()) return missing_rail(step, power, state);
  Failure failure{ErrorClass::dut,
                  "chip_not_started",
                  {},
                  power.part(),
                  "power.ctrl.start = 1",
                  state.text + (fault ? "; " + fault->text : ""),
                  {}};
  if (cause == "freq") {
    failure.symptom = "pll_wrong_frequency";
    failure.part = "PLL";
    failure.message = fmt::format("the PLL locked at the wrong frequency ({})", fault->text);
    failure.likely_cause = "a post-divider or multiplier that did not take; the lock bit alone would have passed";
  } else if (cause == "lock_timeout" || cause == "lock_lost" || state.state == "pll_lock" ||
             state.state == "pll_start") {
    failure.symptom = state.lock_rises > 1 ? "pll_lock_unstable" : "pll_no_lock";
    failure.part = "PLL";
    failure.message = state.lock_rises > 1 ? fmt::format("the PLL's lock came and went {} times", state.lock_rises)
                                           : "the PLL does not lock";
    failure.likely_cause = "no or a wrong reference clock at the PLL, its supply, or a multiplier out of its range";
  } else if (cause == "brownout") {
    failure.symptom = "chip_brownout";
    failure.part = fault->rail;
    failure.message = fmt::format("{} dropped while the chip started", fault->rail);
    failure.likely_cause = "the rail cannot carry the step in current when the clock starts";
  } else if (cause == "thermtrip") {
    failure.symptom = "chip_thermtrip";
    failure.message = "the chip tripped thermally while it started";
    failure.likely_cause = "a trip that was not cleared, no coolant, or a faulty sensor";
  } else {
    failure.message = fmt::format("{} is in {} and did not reach run{}", power.part(), state.state,
                                  cause.empty() ? "" : ", fault " + cause);
    failure.likely_cause = "the reference clock is missing, or the chip's timers are longer than the step's timeout";
  }
  return failure;
}

void measure_clock(StepContext& step, ChipPower& power) {
  const CoreFrequency frequency = power.core_frequency();
  const Quantity tolerance{std::max(frequency.expected.base() * kFrequencyTolerance, 1.5 * frequency.resolution.base()),
                           Dimension::frequency};
  step.measure("", frequency.measured.quantity(), Limit::around(frequency.expected.quantity(), tolerance.value),
               "core_frequency", "PLL");
}

void chip_start(StepContext& step) {
  ChipPower& power = power_of(step);
  step.energise(
      {"start the chip's clocks and release its reset", "stop the chip: core reset, PLL off", kKey, undo_chip()});
  const Duration limit = power.start_limit();
  const Instant begin = step.time().now();
  power.clear_counts();  // rails have come and gone since power-on, on purpose
  power.start();
  ChipPowerState state;
  const bool running = poll(step, kPoll, begin + limit, [&] {
    state = power.state();
    return state.running || state.state == "fault";
  });
  const std::optional<ChipFault> fault = power.fault();
  if (!running || !state.running) step.fail(start_failure(step, power, state, fault));
  step.measure("start_time", to_quantity(step.time().now() - begin), Limit::at_most(to_quantity(limit)),
               "chip.start_time", power.part());
  step.measure("lock_rises", {static_cast<double>(state.lock_rises), Dimension::none},
               Limit::between({1, Dimension::none}, {1, Dimension::none}), "pll.lock_rises", "PLL");
  measure_clock(step, power);
}

void chip_stop(StepContext& step) {
  ChipPower& power = power_of(step);
  power.stop();
  ChipPowerState state;
  const bool off = poll(step, kPoll, step.time().now() + power.start_limit(), [&] {
    state = power.state();
    return state.state == "off";
  });
  step.expect("chip.state", off, "off", state.state, power.part());
  if (!off) return;
  step.de_energised(kKey);
  // The core reset holds the link's transmitters in electrical idle.
  step.de_energised("link");
  step.de_energised("link prbs");
}

/// Still running, and nothing happened meanwhile that no step looked at.
void chip_health(StepContext& step) {
  ChipPower& power = power_of(step);
  const std::optional<ChipFault> fault = power.fault();
  const ChipPowerState state = power.state();
  if (fault) {
    const std::string part = !fault->rail.empty() ? step.bench().rail(fault->rail).part()
                             : fault->cause == "lock_lost" || fault->cause == "freq" ? std::string("PLL")
                                                                                     : power.part();
    step.fail({ErrorClass::dut,
               "chip_fault",
               fmt::format("the chip latched the fault {}{} in state {}, {:.6f} s after its power-on reset",
                           fault->cause, fault->rail.empty() ? "" : " of " + fault->rail, fault->state, fault->time),
               part,
               {},
               fault->text + "; " + state.text,
               fault->cause == "brownout" ? "the rail sagged below its power-good threshold, however briefly" : ""});
  }
  step.expect("chip.state", state.running, "run", state.state, power.part());
  step.expect("pll.lock_lost", !state.lock_lost, "no loss of lock since the start",
              state.lock_lost ? "lock was lost" : "none", "PLL");
  for (const ChipPower::RailEvents& events : power.rail_events()) {
    step.measure("drops", {static_cast<double>(events.drops), Dimension::none}, Limit::at_most({0, Dimension::none}),
                 events.rail + ".drops", step.bench().rail(events.rail).part());
  }
  measure_clock(step, power);
}

/// Every cause through the capture path, so that a snapshot register which is stuck at zero is found before it is
/// needed.
void fault_selftest(StepContext& step) {
  ChipPower& power = power_of(step);
  const std::pair<const char*, std::string> injections[] = {{"brownout", step.bench().rails().back()->plan().name},
                                                            {"thermtrip", ""},
                                                            {"lock_lost", ""},
                                                            {"freq", ""},
                                                            {"lock_timeout", ""}};
  power.clear_fault();
  for (const auto& [cause, rail] : injections) {
    power.inject_fault(cause, rail);
    const std::optional<ChipFault> fault = power.fault();
    const std::string found = fault ? fault->cause + (fault->rail.empty() ? "" : " of " + fault->rail) : "nothing";
    const std::string expected = std::string(cause) + (rail.empty() ? "" : " of " + rail);
    step.expect(std::string("fault_snapshot.") + cause, fault && fault->injected && found == expected, expected, found,
                power.part());
    power.clear_fault();
    step.expect(std::string("fault_snapshot.clear_after_") + cause, !power.fault().has_value(), "no snapshot",
                power.fault() ? "still held" : "no snapshot", power.part());
  }
  power.clear_counts();
}

StepSpec start_spec() {
  StepSpec spec;
  spec.verb = "chip.start";
  spec.doc =
      "Lets the chip's own sequencer start the PLL, check its frequency and release the core reset. Bounded by the "
      "chip's own timers. The clock is "
      "counted against the reference; the lock bit alone is never believed.";
  spec.needs = "chip_power";
  spec.measures = {{"", Dimension::frequency, "Core clock, counted."},
                   {"start_time", Dimension::time, "From the command to run."},
                   {"lock_rises", Dimension::none, "Times that the PLL's lock rose; 1 is a clean lock."}};
  spec.example = "{id: start, do: chip.start, timeout: 2 s}";
  return spec;
}

StepSpec simple(const char* verb, const char* doc) {
  StepSpec spec;
  spec.verb = verb;
  spec.doc = doc;
  spec.needs = "chip_power";
  spec.example = fmt::format("{{id: {}, do: {}, timeout: 2 s}}", std::string(verb).substr(5), verb);
  return spec;
}

}  // namespace

std::vector<Step> chip_steps() {
  StepSpec health = simple("chip.health",
                           "Checks that the chip still runs and that nothing happened unseen: no latched fault, no "
                           "loss of lock, no dropped rail, the right "
                           "core clock.");
  health.measures = {{"", Dimension::frequency, "Core clock, counted."},
                     {"drops", Dimension::none, "Times that a rail's power-good fell."}};
  return {{start_spec(), chip_start},
          {simple("chip.stop", "Stops the chip in order: core reset first, then the PLL."), chip_stop},
          {health, chip_health},
          {simple("chip.fault_selftest",
                  "Injects every fault cause into the chip's first-fault snapshot and checks that it is captured with "
                  "its rail, marked as injected, and "
                  "can be cleared. To be run while the chip is off."),
           fault_selftest}};
}

}  // namespace firstlight
