#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lab/capabilities/rail.h"
#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

double reduce(const std::vector<double>& values, const std::string& how) {
  if (how == "min") return *std::min_element(values.begin(), values.end());
  if (how == "max") return *std::max_element(values.begin(), values.end());
  if (how == "last") return values.back();
  if (how == "spread")
    return *std::max_element(values.begin(), values.end()) - *std::min_element(values.begin(), values.end());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// What is measured at a rail's sense point speaks of the rail, not of the meter.
std::string blamed_part(Bench& bench, const std::string& name, const Measurable& measurable) {
  const auto resolve = [&](const std::string& alias) {
    const auto it = bench.plan().aliases.find(alias);
    return it == bench.plan().aliases.end() ? alias : it->second;
  };
  for (const RailPlan& rail : bench.plan().rails)
    if (!rail.sense.empty() && resolve(rail.sense) == resolve(name)) return bench.rail(rail.name).part();
  return measurable.part;
}

void measure(StepContext& step) {
  const std::string& name = step.with("of").text();
  const Measurable& measurable = step.bench().measurable(name);
  const auto samples = step.with("samples").integer();
  const std::string how = step.with("take").text();
  std::vector<double> values;
  for (std::int64_t i = 0; i < samples; ++i) {
    if (i > 0) step.time().sleep(duration_of(step, "every"));
    const Quantity value = measurable.read();
    values.push_back(value.value);
    if (samples > 1) step.sample(name, value);
  }
  Quantity result{reduce(values, how), measurable.dimension};
  // A spread of temperatures is a difference, but its limit is written in the unit of what was measured.
  step.measure("", result, name, blamed_part(step.bench(), name, measurable));
}

}  // namespace

std::vector<Step> measure_steps() {
  StepSpec spec;
  spec.verb = "measure";
  spec.doc = "Reads a quantity of the bench, once or several times, and judges it by the step's limit.";
  ParamSpec samples = at_least(integer_param("samples", "How many readings.", "1"), 1);
  samples.max = 100000;
  spec.params = {
      required(name_param("of", NameKind::measurable, "What to measure.")), samples,
      quantity_param("every", Dimension::time, "Time between readings.", "10 ms"),
      choice_param("take", {"mean", "min", "max", "last", "spread"}, "What becomes of several readings.", "mean")};
  spec.measures = {{"", Dimension::none, "The reading, in the dimension of what is measured."}};
  spec.example =
      "{id: core_v, do: measure, with: {of: vdd_core.voltage, samples: 5}, limit: {nominal: 850 mV, tolerance: 2 %}}";
  return {{spec, measure}};
}

}  // namespace firstlight
