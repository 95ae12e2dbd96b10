#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "lab/capabilities/current_burst.h"
#include "lab/capabilities/rail.h"
#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kSettle{5'000'000'000};
constexpr int kReadings = 8;
constexpr double kFullRate = 0.98;  // of the cycles of a burst, at least
constexpr double kRampHelps = 0.9;  // of the unramped droop; above it, there is no ramp to speak of
// How long bursts are for the picture: of each, the lowest voltage while it lasts.
constexpr unsigned kLengths[] = {4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128};

/// The bench and what was asked for.
struct Burst {
  StepContext& step;
  CurrentBurst& chip;
  Rail& rail;
  unsigned cycles = 0;
  int times = 1;
};

Voltage level_at_rest(Burst& burst) {
  Voltage sum;
  for (int i = 0; i < kReadings; ++i) {
    if (i > 0) burst.step.time().sleep(kSettle / kReadings);
    sum = sum + burst.rail.voltage();
  }
  return sum / kReadings;
}

/// A burst that did not run at full rate says nothing of the rail.
void check_rate(Burst& burst, const BurstOutcome& outcome, unsigned cycles, bool ramp) {
  const bool all = outcome.active == cycles;
  const bool free = ramp || static_cast<double>(outcome.held) <= (1 - kFullRate) * cycles;
  const bool ramped = !ramp || outcome.slowed > 0;
  if (all && free && ramped) return;
  burst.step.fail(dut_failure(
      "burst_not_run",
      fmt::format("{} was at work in {} cycles of a burst of {}, and held back in {}", burst.chip.part(),
                  outcome.active, cycles, outcome.held),
      burst.chip.part(), fmt::format("{} of its cycles under a limit", outcome.slowed),
      !ramped ? "the ramp after rest did not take part: ramp.rest is longer than the rest between bursts, or the "
                "limiter does not see them"
              : "another limit (power, thermal, external) holds the engine, or what it works on is not in place"));
}

/// Below the level at rest.
Voltage droop(Burst& burst, unsigned cycles, bool ramp, Voltage rest) {
  burst.rail.clear_extremes();
  check_rate(burst, burst.chip.run(cycles, ramp, burst.step.deadline() - kDiagnosis), cycles, ramp);
  return rest - burst.rail.lowest_voltage();
}

Voltage worst_droop(Burst& burst, bool ramp) {
  Voltage worst;
  for (int i = 0; i < burst.times; ++i) {
    const Voltage rest = level_at_rest(burst);
    worst = std::max(worst, droop(burst, burst.cycles, ramp, rest));
  }
  return worst;
}

void draw(Burst& burst, bool ramp) {
  const Voltage rest = level_at_rest(burst);
  nlohmann::ordered_json points = nlohmann::ordered_json::array({{0.0, rest.base()}});
  for (const unsigned cycles : kLengths)
    points.push_back({cycles / kNominalCoreHz, (rest - droop(burst, cycles, ramp, rest)).base()});
  const nlohmann::ordered_json curve = {{"rail", burst.rail.plan().name},
                                        {"ramp", ramp},
                                        {"rest", rest.base()},
                                        {"unit", "V"},
                                        {"points", std::move(points)}};
  burst.step.data("burst_droop", curve.dump());
}

Failure too_deep(Burst& burst, Voltage ramped, Voltage unramped) {
  const RailStatus status = burst.rail.status();
  const bool helps = ramped.base() < kRampHelps * unramped.base();
  Failure failure = dut_failure(
      "rail_droop",
      fmt::format("a burst of {} takes {} {} down with the ramp and {} without it", burst.chip.part(),
                  burst.rail.plan().name, to_text(ramped), to_text(unramped)),
      helps ? fmt::format("decoupling of {}", burst.rail.plan().name) : burst.chip.part(), status.text,
      helps ? fmt::format("decoupling capacitors of {} are missing, not soldered, or of the wrong kind: its load line "
                          "is another matter (rail.load_line)",
                          burst.rail.plan().name)
            : "the ramp after rest does not spread the step: its limit or its length is wrong");
  if (!status.faults.empty())
    failure.message += fmt::format("; {} says {}", burst.rail.part(), fmt::join(status.faults, ", "));
  return failure;
}

void tensor_burst(StepContext& step) {
  auto& chip = step.bench().get<CurrentBurst>(text_of(step, "chip"));
  Rail& rail = step.bench().rail(chip.rail());
  Burst burst{step, chip, rail, static_cast<unsigned>(step.with("cycles").integer()),
              static_cast<int>(step.with("bursts").integer())};
  if (burst.cycles > chip.longest())
    step.fail(
        {ErrorClass::sequence,
         "burst_too_long",
         fmt::format("a burst of {} cycles, where {} makes {} at the most", burst.cycles, chip.part(), chip.longest()),
         chip.part(),
         {},
         {},
         "the sequence needs mending"});
  chip.prepare(step.deadline() - kDiagnosis);
  step.time().sleep(kSettle);
  const Voltage unramped = worst_droop(burst, false);
  const Voltage ramped = worst_droop(burst, true);
  const std::string subject = rail.plan().name + ".droop";
  const auto limit = [&](const char* param) { return Limit::at_most(step.with(param).quantity()); };
  const Verdict with = step.measure("", ramped.quantity(), limit("most"), subject, rail.part());
  const Verdict without =
      step.measure("unramped", unramped.quantity(), limit("most_unramped"), subject + ".unramped", rail.part());
  if (unramped <= Voltage(0))
    step.fail(dut_failure(
        "no_droop", fmt::format("a burst of {} changes nothing that {} catches", chip.part(), rail.part()), rail.part(),
        to_text(unramped), "the regulator's capture does not follow its output, or another rail feeds the array"));
  step.measure("ratio", Ratio(ramped.base() / unramped.base()).quantity(),
               Limit::at_most(step.with("most_ratio").quantity()), subject + ".ratio", chip.part());
  if (step.with("picture").boolean())
    for (const bool ramp : {true, false}) draw(burst, ramp);
  if (with == Verdict::fail || without == Verdict::fail) step.fail(too_deep(burst, ramped, unramped));
}

ParamSpec voltage_limit(const char* name, const char* doc, const char* fallback) {
  return quantity_param(name, Dimension::voltage, doc, fallback);
}

}  // namespace

std::vector<Step> burst_steps() {
  StepSpec spec;
  spec.verb = "tensor.burst";
  spec.doc =
      "Takes the tensor engine's current from rest to full in one cycle, and measures by the regulator's own capture "
      "how far the rail goes down: with the engine's ramp after rest, and without it. What a meter cannot see: the "
      "load line is in it, and what the decoupling capacitors hold. Needs a regulator that catches the lowest voltage "
      "(docs/pmbus.md, Extremes).";
  spec.needs = "burst";
  ParamSpec cycles = integer_param("cycles", "Core cycles of a burst.", "512");
  cycles.min = 64;
  ParamSpec bursts = integer_param("bursts", "Bursts of each kind; the deepest droop counts.", "3");
  bursts.min = 1;
  ParamSpec chip = name_param("chip", NameKind::driver, "The driver of the chip, where there are several.");
  spec.params = {
      cycles,
      bursts,
      voltage_limit("most", "Deepest droop with the ramp.", "35 mV"),
      voltage_limit("most_unramped", "Deepest droop without it.", "55 mV"),
      quantity_param("most_ratio", Dimension::ratio, "Droop with the ramp by droop without it.", "80 %"),
      flag_param("picture", "Also bursts of different lengths, of which the report draws the droop.", "true"),
      chip};
  spec.measures = {{"", Dimension::voltage, "Droop with the ramp."},
                   {"unramped", Dimension::voltage, "Droop without it."},
                   {"ratio", Dimension::ratio, "The one by the other."}};
  spec.example = "{id: burst, do: tensor.burst, with: {cycles: 512}, limit: {max: 35 mV}}";
  return {{spec, tensor_burst}};
}

}  // namespace firstlight
