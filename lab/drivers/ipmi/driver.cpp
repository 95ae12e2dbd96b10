#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "lab/core/suggest.h"
#include "lab/drivers/ipmi/bmc.h"
#include "lab/drivers/params.h"
#include "lab/drivers/points/identity_check.h"
#include "lab/drivers/points/offers.h"
#include "lab/drivers/registry.h"

namespace firstlight {

namespace {

constexpr std::array<const char*, 4> kIdentity = {"manufacturer", "product", "revision", "guid"};

void check(const NamedMeasure& measure) {
  static const std::vector<std::string> thresholds = {"lower_noncritical", "lower_critical", "lower_nonrecoverable",
                                                      "upper_noncritical", "upper_critical", "upper_nonrecoverable"};
  for (const auto& [member, value] : measure.params)
    if (member != "sensor" && member != "threshold" && member != "state")
      throw_bad_param(value.where, fmt::format("a sensor has no `{}`; it may have sensor, threshold, state", member));
  const auto threshold = measure.text("threshold");
  if (threshold && std::find(thresholds.begin(), thresholds.end(), *threshold) == thresholds.end())
    throw_bad_param(measure.where, fmt::format("`threshold` is one of {}", fmt::join(thresholds, ", ")),
                    nearest_name(*threshold, thresholds));
  const auto state = measure.text("state");
  if (!state) return;
  if (threshold) throw_bad_param(measure.where, "a sensor of states has no thresholds");
  if (measure.dimension != Dimension::none)
    throw_bad_param(measure.where, "a state measures a number, 0 or 1: `measures: number`");
  if (state->size() > 2 || state->find_first_not_of("0123456789") != std::string::npos || std::stoi(*state) > 14)
    throw_bad_param(measure.where, "`state` is the offset of one, 0 to 14");
}

void build(const DriverPlan& plan, DriverEnvironment& environment) {
  const std::string& resource = plan.uses.at(0);
  auto expected = declared_identity(plan, {kIdentity.begin(), kIdentity.end()});
  std::vector<NamedMeasure> measures = named_measures(plan.params, "measures");
  for (const NamedMeasure& measure : measures) check(measure);
  const auto bmc = std::make_shared<ipmi::Bmc>(fmt::format("{} ({})", plan.name, resource), environment.ipmi(resource),
                                               std::move(measures), std::move(expected), environment.time());
  environment.bench().keep(bmc);
  environment.bench().offer<Identity>(plan.name, *bmc);
  offer_points(plan, environment, bmc);
}

ParamSpec identity_param(const char* name) {
  ParamSpec spec;
  spec.name = name;
  spec.doc = fmt::format("Regular expression for the {} that the BMC must have.", name);
  return spec;
}

}  // namespace

std::vector<DriverType> ipmi_drivers() {
  DriverTypeSpec spec;
  spec.driver = "ipmi";
  spec.doc =
      "A BMC by IPMI: its sensors by the names in its records, and the power of its chassis, as the outlet `chassis`.";
  spec.uses = {"ipmi"};
  ParamSpec measures;
  measures.name = "measures";
  measures.type = ParamType::map;
  measures.doc =
      "What the bench measures: `inlet: {measures: temperature, sensor: Inlet Temp}`. With `threshold: upper_critical` "
      "it is that threshold, with `state: 1` (and `measures: number`) 1 while the sensor is in that state.";
  spec.params = {measures, point_params().back()};
  for (const char* field : kIdentity) spec.params.push_back(identity_param(field));
  spec.offers = {"switch", "identity"};
  spec.measures_param = "measures";
  return {{spec, build}};
}

}  // namespace firstlight
