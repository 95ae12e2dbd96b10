#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/core/suggest.h"
#include "lab/drivers/params.h"
#include "lab/drivers/points/identity_check.h"
#include "lab/drivers/points/offers.h"
#include "lab/drivers/redfish/node.h"
#include "lab/drivers/registry.h"

namespace firstlight {

namespace {

constexpr std::array<const char*, 4> kIdentity = {"manufacturer", "model", "serial_number", "part_number"};

void check(const NamedMeasure& measure) {
  static const std::vector<std::string> members = {"sensor", "leak_detector", "at"};
  for (const auto& [member, value] : measure.params)
    if (std::find(members.begin(), members.end(), member) == members.end())
      throw_bad_param(value.where,
                      fmt::format("a measure has no `{}`; it may have {}", member, fmt::join(members, ", ")),
                      nearest_name(member, members));
  if (measure.params.size() > 1)
    throw_bad_param(measure.where, fmt::format("`{}` has several of {}; one says where it is", measure.name,
                                               fmt::join(members, ", ")));
  if (measure.text("leak_detector") && measure.dimension != Dimension::none)
    throw_bad_param(measure.where, "a leak detector measures a number, 0 or 1: `measures: number`");
  const auto at = measure.text("at");
  try {
    if (at && at->find('#') != std::string::npos) nlohmann::json::json_pointer(at->substr(at->find('#') + 1));
  } catch (const nlohmann::json::exception&) {
    throw_bad_param(measure.where, "what follows the # of `at` is a JSON pointer, such as /PowerControl/0");
  }
  if (at && (at->empty() || at->front() != '/'))
    throw_bad_param(measure.where,
                    "`at` is a path from the root, such as /redfish/v1/Chassis/1U/Power#/PowerControl/0");
}

void build_node(const DriverPlan& plan, DriverEnvironment& environment, redfish::Selection selection) {
  const std::string& resource = plan.uses.at(0);
  auto expected = declared_identity(plan, {kIdentity.begin(), kIdentity.end()});
  std::vector<NamedMeasure> measures = named_measures(plan.params, "measures");
  for (const NamedMeasure& measure : measures) check(measure);
  redfish::Service service(fmt::format("{} ({})", plan.name, resource), environment.http(resource), environment.time());
  const auto node = std::make_shared<redfish::Node>(std::move(service), std::move(selection), std::move(measures),
                                                    std::move(expected), environment.time());
  environment.bench().keep(node);
  environment.bench().offer<Identity>(plan.name, *node);
  offer_points(plan, environment, node);
}

void build_machine(const DriverPlan& plan, DriverEnvironment& environment) {
  redfish::Selection selection;
  selection.chassis = text_param(plan.params, "chassis").value_or("");
  selection.system = text_param(plan.params, "system").value_or("");
  build_node(plan, environment, std::move(selection));
}

void build_pdu(const DriverPlan& plan, DriverEnvironment& environment) {
  redfish::Selection selection;
  selection.chassis = text_param(plan.params, "chassis").value_or("");
  selection.pdu = text_param(plan.params, "pdu").value_or("");
  selection.outlets = text_list_param(plan.params, "outlets");
  build_node(plan, environment, std::move(selection));
}

ParamSpec text(const char* name, std::string doc) {
  ParamSpec spec;
  spec.name = name;
  spec.doc = std::move(doc);
  return spec;
}

DriverTypeSpec spec_of(const char* driver, const char* doc, std::vector<ParamSpec> params) {
  DriverTypeSpec spec;
  spec.driver = driver;
  spec.doc = doc;
  spec.uses = {"redfish"};
  ParamSpec measures =
      text("measures",
           "What the bench measures: `inlet: {measures: temperature, sensor: Inlet Temp}` by a "
           "sensor's Id or Name, `leak: {measures: number, leak_detector: Tray}` (1 while it leaks), or "
           "`{measures: power, at: \"/redfish/v1/...#/InputPowerWatts\"}` for any property.");
  measures.type = ParamType::map;
  spec.params = std::move(params);
  spec.params.insert(spec.params.end(),
                     {text("chassis", "Id of the chassis that has the sensors; may be absent when there is one."),
                      measures, point_params().back()});
  for (const char* field : kIdentity)
    spec.params.push_back(text(field, fmt::format("Regular expression for the {} that it must have.", field)));
  spec.offers = {"switch", "identity"};
  spec.measures_param = "measures";
  return spec;
}

}  // namespace

std::vector<DriverType> redfish_drivers() {
  ParamSpec outlets = text("outlets", "Ids of the outlets that the bench uses.");
  outlets.type = ParamType::list;
  outlets.required = true;
  return {
      {spec_of("redfish",
               "A machine by Redfish: its sensors and leak detectors, and its power, as the outlet `system`.",
               {text("system", "Id of the computer system; may be absent when there is one.")}),
       build_machine},
      {spec_of("redfish_pdu", "A rack PDU by Redfish: outlets that are switched, and its sensors.",
               {text("pdu", "Id of the PDU; may be absent when there is one."), outlets}),
       build_pdu},
  };
}

}  // namespace firstlight
