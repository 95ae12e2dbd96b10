#include <fmt/format.h>

#include "lab/capabilities/rail.h"
#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

void clear_extremes(StepContext& step) {
  Rail& rail = step.bench().rail(step.with("rail").text());
  rail.clear_extremes();
  step.log(Severity::info, fmt::format("{} begins to catch the extremes of {} anew", rail.part(), rail.plan().name));
}

}  // namespace

std::vector<Step> extremes_steps() {
  StepSpec spec;
  spec.verb = "rail.clear_extremes";
  spec.doc =
      "Lets the regulator catch the lowest and the highest voltage of a rail anew; `<rail>.voltage.min` and "
      "`<rail>.voltage.max` measure what it has caught since. For parts that say how (`peaks`, docs/pmbus.md).";
  spec.needs = "rails";
  spec.params = {required(name_param("rail", NameKind::rail, "The rail."))};
  spec.example = "{id: anew, do: rail.clear_extremes, with: {rail: vdd_core}}";
  return {{spec, clear_extremes}};
}

}  // namespace firstlight
