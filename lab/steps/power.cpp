#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "lab/capabilities/rail.h"
#include "lab/steps/families.h"
#include "lab/steps/rail_actions.h"
#include "lab/steps/rail_on.h"
#include "lab/steps/support.h"
#include "lab/steps/undo.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kRampStep{1'000'000'000};
constexpr Duration kMarginSettle{20'000'000'000};

Rail& rail_of(StepContext& step) { return step.bench().rail(step.with("rail").text()); }

void rail_off(StepContext& step) {
  Rail& rail = rail_of(step);
  const std::string& name = rail.plan().name;
  const OffResult result = turn_off(step.bench(), rail);
  for (const auto& [at, volts] : result.points)
    step.log(Severity::debug, fmt::format("{} at {:.6f} s: {}", name, seconds(at), to_text(volts)));
  step.data("rail_ramp", ramp_json(name, "down", Voltage(0), result.took, result.points));
  if (!result.off) step.fail(off_failure(rail, result));
  release_rail(step, name);
  step.measure("fall_time", to_quantity(result.took), Limit::at_most(to_quantity(off_limit(rail))), name + ".fall_time",
               rail.part());
  step.measure("", result.left.quantity(), Limit::at_most(rail.plan().residual.quantity()), name + ".residual",
               sense_part(step.bench(), rail));
}

void rail_residual(StepContext& step) {
  const Rail& rail = rail_of(step);
  const RailPlan& plan = rail.plan();
  const std::optional<Voltage> left = sensed(step.bench(), rail);
  if (!left)
    step.fail({ErrorClass::bench,
               "no_sense",
               fmt::format("nothing senses {} independently of its regulator", plan.name),
               rail.part(),
               {},
               {},
               "give the rail a `sense` in the bench file"});
  if (*left > plan.residual)
    step.note_failure(
        dut_failure("rail_residual_voltage",
                    fmt::format("{} has {} though it is off (allowed: {}), by {}", plan.name, to_text(*left),
                                to_text(plan.residual), sense_part(step.bench(), rail)),
                    rail.part(), to_text(*left),
                    "another supply feeds back into it through the board, or its capacitors were never discharged"));
  step.measure("", left->quantity(), Limit::at_most(plan.residual.quantity()), plan.name + ".residual", rail.part());
}

Limit around(Voltage target, const Rail& rail) {
  return Limit::around(target.quantity(), rail.plan().tolerance.base() * target.base());
}

void measure_level(StepContext& step, Rail& rail, Voltage target) {
  const std::string& name = rail.plan().name;
  step.measure("", rail.voltage().quantity(), around(target, rail), name + ".voltage", rail.part());
  if (const auto independent = sensed(step.bench(), rail))
    step.measure("sense", independent->quantity(), around(target, rail), name + ".sense", rail.part());
}

void require_on(StepContext& step, Rail& rail) {
  const RailStatus status = rail.status();
  if (status.on) return;
  step.fail({ErrorClass::sequence,
             "rail_is_off",
             fmt::format("{} is off; it must be on for this", rail.plan().name),
             rail.part(),
             {},
             status.text,
             "the sequence lacks a rail.on before, or the regulator turned it off"});
}

void rail_ramp(StepContext& step) {
  Rail& rail = rail_of(step);
  const Voltage target(step.with("to").quantity());
  require_on(step, rail);
  const Voltage from = rail.target_voltage();
  double slew =
      step.has("slew") ? step.with("slew").quantity().value : rail.plan().slew.value_or(VoltageSlew(10)).base();
  if (rail.plan().slew && slew > rail.plan().slew->base())
    step.fail({ErrorClass::interlock,
               "rail_envelope",
               fmt::format("a slew of {} for {} is above the {} that the bench allows", to_text(VoltageSlew(slew)),
                           rail.plan().name, to_text(*rail.plan().slew)),
               rail.part(),
               {},
               {},
               "nothing was written"});
  step.energise({fmt::format("ramp {} from {} to {}", rail.plan().name, to_text(from), to_text(target)),
                 fmt::format("set {} back to {}", rail.plan().name, to_text(from)), set_point_key(rail.plan().name),
                 undo_set_point(rail.plan().name, from)});
  const double distance = (target - from).base();
  const int steps = std::max(1, static_cast<int>(std::ceil(std::fabs(distance) / (slew * seconds(kRampStep)) - 1e-6)));
  for (int i = 1; i <= steps; ++i) {
    rail.set_voltage(i == steps ? target : from + Voltage(distance * i / steps));
    step.time().sleep(kRampStep);
    step.sample(rail.plan().name + ".voltage", rail.voltage().quantity());
  }
  step.time().sleep(kMarginSettle);
  measure_level(step, rail, target);
}

void rail_margin(StepContext& step) {
  Rail& rail = rail_of(step);
  const std::string which = step.with("margin").text();
  const Margin margin = which == "low" ? Margin::low : which == "high" ? Margin::high : Margin::none;
  require_on(step, rail);
  const Voltage target = rail.margin_voltage(margin);
  const std::string key = margin_key(rail.plan().name);
  if (margin != Margin::none)
    step.energise({fmt::format("margin {} {} to {}", rail.plan().name, which, to_text(target)),
                   fmt::format("end the margin of {}", rail.plan().name), key, undo_margin(rail.plan().name)});
  rail.set_margin(margin);
  if (margin == Margin::none) step.de_energised(key);
  step.time().sleep(step.has("settle") ? duration_of(step, "settle") : kMarginSettle);
  step.log(Severity::info, fmt::format("{} margin {}: {}", rail.plan().name, which, to_text(target)));
  measure_level(step, rail, target);
}

ParamSpec rail_param() { return required(name_param("rail", NameKind::rail, "The rail.")); }

StepSpec off_spec() {
  StepSpec spec;
  spec.verb = "rail.off";
  spec.doc =
      "Turns a rail off by its own ramp and proves it: the regulator must say OFF and the voltage must fall to the "
      "rail's residual voltage, by the "
      "independent sense where the bench has one. Bounded by the part's TOFF_DELAY and TOFF_FALL.";
  spec.needs = "rails";
  spec.params = {rail_param()};
  spec.measures = {{"", Dimension::voltage, "Voltage that is left."},
                   {"fall_time", Dimension::time, "From the command to the residual voltage."}};
  spec.example = "{id: core_off, do: rail.off, with: {rail: vdd_core}}";
  return spec;
}

StepSpec residual_spec() {
  StepSpec spec;
  spec.verb = "rail.residual";
  spec.doc =
      "Measures what a rail that is off still has, by its independent sense alone: the regulator need not have power. "
      "Voltage before power tells of "
      "back-feed.";
  spec.needs = "rails";
  spec.params = {rail_param()};
  spec.measures = {{"", Dimension::voltage, "The voltage. Limit when none is given: the rail's residual voltage."}};
  spec.example = "{id: core_dead, do: rail.residual, with: {rail: vdd_core}}";
  return spec;
}

StepSpec ramp_spec() {
  StepSpec spec;
  spec.verb = "rail.ramp";
  spec.doc = "Moves a rail that is on to another voltage, in steps no faster than the slew.";
  spec.needs = "rails";
  spec.params = {rail_param(),
                 required(quantity_param("to", Dimension::voltage, "The new set point, within the rail's envelope.")),
                 quantity_param("slew", Dimension::voltage_slew,
                                "Fastest change; the rail's own `slew`, or 10 mV/ms, when absent.")};
  spec.params[2].min = 1e-3;
  spec.measures = {{"", Dimension::voltage, "Voltage after the ramp, by the regulator."},
                   {"sense", Dimension::voltage, "The same by the independent sense."}};
  spec.example = "{id: core_up, do: rail.ramp, with: {rail: vdd_core, to: 900 mV, slew: 5 mV/us}}";
  return spec;
}

StepSpec margin_spec() {
  StepSpec spec;
  spec.verb = "rail.margin";
  spec.doc = "Switches a rail that is on to its low or high margin, as stored in the regulator, or back.";
  spec.needs = "rails";
  spec.params = {rail_param(), required(choice_param("margin", {"low", "high", "none"}, "Which margin.")),
                 quantity_param("settle", Dimension::time, "Wait before the measurement.", "20 ms")};
  spec.measures = {{"", Dimension::voltage, "Voltage at the margin, by the regulator."},
                   {"sense", Dimension::voltage, "The same by the independent sense."}};
  spec.example = "{id: core_low, do: rail.margin, with: {rail: vdd_core, margin: low}}";
  return spec;
}

}  // namespace

std::vector<Step> power_steps() {
  return {rail_on_step(),
          {off_spec(), rail_off},
          {residual_spec(), rail_residual},
          {ramp_spec(), rail_ramp},
          {margin_spec(), rail_margin}};
}

}  // namespace firstlight
