#include <fmt/format.h>

#include <algorithm>

#include "lab/capabilities/chip_thermal.h"
#include "lab/capabilities/rail.h"
#include "lab/steps/families.h"
#include "lab/steps/rail_actions.h"
#include "lab/steps/support.h"
#include "lab/steps/undo.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kSettle{20'000'000'000};
constexpr int kReadings = 8;
constexpr Duration kBetween{5'000'000'000};

struct Point {
  Voltage voltage;
  Current current;
};

/// The sense point where there is one: it is where the load is.
Point reading(StepContext& step, Rail& rail) {
  Voltage voltage;
  Current current;
  for (int i = 0; i < kReadings; ++i) {
    if (i > 0) step.time().sleep(kBetween);
    voltage = voltage + best_voltage(step.bench(), rail);
    current = current + rail.current();
  }
  return {voltage / kReadings, current / kReadings};
}

std::string zone_of(const ChipThermal& thermal, const std::string& rail) {
  for (const std::string& zone : thermal.zones())
    if (thermal.rail_of(zone) == rail) return zone;
  throw FailureError({ErrorClass::sequence,
                      "no_heater_on_rail",
                      fmt::format("no heater of the chip loads {}", rail),
                      rail,
                      {},
                      {},
                      "the load line can be measured on rails that feed a thermal zone"});
}

void load_line(StepContext& step) {
  auto& thermal = step.bench().get<ChipThermal>();
  Rail& rail = step.bench().rail(step.with("rail").text());
  const std::string& name = rail.plan().name;
  const std::string zone = zone_of(thermal, name);
  const int level = static_cast<int>(std::min<std::int64_t>(step.with("level").integer(), thermal.max_heater_level()));
  const std::string key = "heater " + zone;
  const Point light = reading(step, rail);
  step.energise({fmt::format("heater of zone {} at level {}", zone, level), fmt::format("heater of zone {} off", zone),
                 key, undo_heater(zone)});
  thermal.set_heater(zone, level);
  step.time().sleep(kSettle);
  const Point heavy = reading(step, rail);
  thermal.set_heater(zone, 0);
  step.de_energised(key);
  const Current more = heavy.current - light.current;
  step.measure("load", more.quantity(), Limit::at_least(step.with("least").quantity()), name + ".load_step",
               rail.part());
  if (more <= Current(0)) return;
  const Quantity line{(light.voltage - heavy.voltage).base() / more.base(), Dimension::resistance};
  if (step.measure("", line, name + ".load_line", rail.part()) == Verdict::fail)
    step.fail(
        dut_failure("load_line_too_steep",
                    fmt::format("{} falls by {} for {} more: a load line of {}", name,
                                to_text(light.voltage - heavy.voltage), to_text(more), to_text(line)),
                    rail.part(), {},
                    "a bad joint or a thin plane between regulator and load, or a droop setting that is too steep"));
}

}  // namespace

std::vector<Step> load_line_steps() {
  StepSpec spec;
  spec.verb = "rail.load_line";
  spec.doc =
      "Load line of a rail: loads it with the chip's test heater and divides the fall of the voltage at the sense "
      "point by the rise of the current. Too much "
      "is a bad joint, a thin plane, or a regulator with a wrong droop setting: harmless at idle, fatal under load.";
  spec.needs = "thermal";
  ParamSpec level = integer_param("level", "Heater level.", "12");
  level.min = 1;
  spec.params = {required(name_param("rail", NameKind::rail, "The rail; it must feed a thermal zone.")), level,
                 quantity_param("least", Dimension::current, "Least load step that counts.", "2 A")};
  spec.measures = {{"", Dimension::resistance, "Load line."},
                   {"load", Dimension::current, "Load step, by the regulator's telemetry."}};
  spec.example = "{id: core_line, do: rail.load_line, with: {rail: vdd_core}, limit: {max: 1 mOhm}}";
  return {{spec, load_line}};
}

}  // namespace firstlight
