#include "lab/bench/schema.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "lab/bench/tables.h"
#include "lab/document/schema.h"

namespace firstlight {
namespace {

using Json = nlohmann::ordered_json;
using schema::Parameters;

/// A map of named things.
Json named(Json value, const std::string& description) {
  return {{"description", description},
          {"type", "object"},
          {"propertyNames", {{"pattern", "^[A-Za-z][A-Za-z0-9_-]*$"}}},
          {"additionalProperties", std::move(value)}};
}

/// A thing whose key `by` names its type, and whose other keys depend on that.
Json typed(const std::string& by, const Json& types, const Json& rules) {
  return {
      {"type", "object"}, {"properties", {{by, {{"enum", types}}}}}, {"required", Json::array({by})}, {"allOf", rules}};
}

Json rule(const std::string& by, const std::string& type, Json body) {
  return {{"if", {{"properties", {{by, {{"const", type}}}}}, {"required", Json::array({by})}}},
          {"then", std::move(body)}};
}

Json resource(const Vocabulary& vocabulary) {
  Json types = Json::array();
  Json rules = Json::array();
  for (const ResourceTypeSpec& spec : vocabulary.resources) {
    types.push_back(spec.type);
    auto params = resource_params();
    params.insert(params.end(), spec.params.begin(), spec.params.end());
    Json body = schema::map(params, Parameters::none);
    body["properties"]["type"] = {{"description", spec.doc}, {"const", spec.type}};
    rules.push_back(rule("type", spec.type, std::move(body)));
  }
  return typed("type", types, rules);
}

Json uses(const DriverTypeSpec& spec) {
  const Json name = {{"type", "string"}};
  Json map = {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  for (const std::string& type : spec.uses) map["properties"][type] = name;
  map["required"] = spec.uses;
  const Json list = {
      {"type", "array"}, {"items", name}, {"minItems", spec.uses.size()}, {"maxItems", spec.uses.size()}};
  Json forms = Json::array({list, std::move(map)});
  if (spec.uses.size() == 1) forms.push_back(name);
  return {{"description", "The resources it stands on."}, {"anyOf", forms}};
}

Json driver(const Vocabulary& vocabulary) {
  Json types = Json::array();
  Json rules = Json::array();
  for (const DriverTypeSpec& spec : vocabulary.drivers) {
    types.push_back(spec.driver);
    auto params = driver_params();
    params.insert(params.end(), spec.params.begin(), spec.params.end());
    Json body = schema::map(params, Parameters::none);
    body["properties"]["driver"] = {{"description", spec.doc}, {"const", spec.driver}};
    body["properties"]["uses"] = uses(spec);
    if (!spec.uses.empty()) body["required"].push_back("uses");
    rules.push_back(rule("driver", spec.driver, std::move(body)));
  }
  return typed("driver", types, rules);
}

Json rail() {
  Json out = schema::map(rail_params(), Parameters::none);
  const auto nest = [&](const char* key, const std::vector<ParamSpec>& specs) {
    Json nested = {{"description", out["properties"][key]["description"]}};
    nested.update(schema::map(specs, Parameters::none));
    out["properties"][key] = nested;
  };
  nest("pgood", pgood_params());
  nest("safe", safe_params());
  return out;
}

Json interlock() {
  Json out = schema::map(interlock_params(), Parameters::none);
  const auto bound = [&](const char* key, const char* description) {
    out["properties"][key] = {{"description", description}};
    out["properties"][key].update(schema::quantity(Dimension::none, true));
  };
  bound("above", "Acts when the value is above this.");
  bound("below", "Acts when the value is below this.");
  bound("hysteresis", "How far the value must come back before the interlock clears.");
  out["anyOf"] = Json::array({{{"required", Json::array({"above"})}}, {{"required", Json::array({"below"})}}});
  return out;
}

Json described(const char* description, const std::vector<ParamSpec>& params) {
  Json out = {{"description", description}};
  out.update(schema::map(params, Parameters::none));
  return out;
}

Json faults(const Vocabulary& vocabulary) {
  Json names = Json::array();
  std::string pattern;
  for (const FaultSpec& spec : vocabulary.faults) {
    names.push_back(spec.name);
    if (!spec.value_doc.empty()) pattern += (pattern.empty() ? "" : "|") + spec.name;
  }
  Json forms = Json::array({{{"enum", names}}});
  if (!pattern.empty()) forms.push_back({{"type", "string"}, {"pattern", "^(" + pattern + ")=.+$"}});
  const Json value = {{"type", Json({"string", "number"})}};
  forms.push_back({{"type", "object"},
                   {"properties", {{"name", {{"enum", names}}}, {"value", value}}},
                   {"required", Json::array({"name"})},
                   {"additionalProperties", false}});
  return {{"description", "Faults that the model is told to have: NAME, NAME=VALUE, or {name, value}."},
          {"type", "array"},
          {"items", {{"anyOf", forms}}}};
}

}  // namespace

std::string bench_schema(const Vocabulary& vocabulary) {
  Json root = schema::document("Firstlight bench", "What is on the table, and how each part of it is reached.");
  root["type"] = "object";
  Json& properties = root["properties"];
  properties["bench"] = schema::identifier("The bench's name in records and reports.", Parameters::none);
  properties["dut"] = schema::map(dut_params(), Parameters::none);
  properties["time_scale"] = {
      {"description", "Model only: how many times slower than nominal the chip's clocks run against the board."},
      {"type", "number"},
      {"minimum", 1},
      {"default", 1}};
  properties["time_base"] = {
      {"description", "The file in which a model that listens publishes its time; without it, time is the wall clock."},
      {"type", "string"}};
  properties["variables"] = {
      {"description", "Texts that `${name}` stands for anywhere in the file; --bench-var NAME=VALUE replaces one."},
      {"type", "object"},
      {"additionalProperties", {{"type", Json({"string", "number"})}}}};
  properties["resources"] = named({{"$ref", "#/$defs/resource"}}, "Things that are there: buses, sockets, ports.");
  properties["drivers"] = named({{"$ref", "#/$defs/driver"}}, "Software that drives what sits behind resources.");
  properties["rails"] = named({{"$ref", "#/$defs/rail"}}, "The rails of the board and their envelope.");
  properties["sensors"] = {{"description", "Other names for measurables: alias -> name."},
                           {"type", "object"},
                           {"additionalProperties", {{"type", "string"}}}};
  properties["interlocks"] = {{"description", "What is watched all the time, and what happens when it goes astray."},
                              {"type", "array"},
                              {"items", {{"$ref", "#/$defs/interlock"}}}};
  properties["guardian"] = described("How the guardian watches a run on hardware.", guardian_params());
  properties["labgrid"] = described("A place that labgrid must have given to us before a run.", labgrid_params());
  properties["faults"] = faults(vocabulary);
  properties["model"] = {{"description", "Settings of the model."}, {"type", "object"}};
  root["required"] = Json::array({"bench", "dut"});
  root["additionalProperties"] = false;
  root["$defs"] = {
      {"resource", resource(vocabulary)}, {"driver", driver(vocabulary)}, {"rail", rail()}, {"interlock", interlock()}};
  return root.dump(2) + '\n';
}

}  // namespace firstlight
