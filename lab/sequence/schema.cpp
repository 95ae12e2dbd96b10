#include "lab/sequence/schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab/core/verdict.h"
#include "lab/document/schema.h"
#include "lab/sequence/tables.h"

namespace firstlight {
namespace {

using Json = nlohmann::ordered_json;
using schema::Parameters;

constexpr const char* kReference = R"(\$\{[^}]*\})";

Json reference(const char* name) { return {{"$ref", std::string("#/$defs/") + name}}; }

Json described(const std::string& description, const Json& schema) {
  Json out = {{"description", description}};
  out.update(schema);
  return out;
}

Json or_parameter(Json schema) {
  return {{"anyOf", Json::array({std::move(schema), {{"type", "string"}, {"pattern", kReference}}})}};
}

Json any_quantity() { return or_parameter(schema::quantity(Dimension::none, true)); }

bool measures_something(const StepSpec& spec) {
  return std::any_of(spec.params.begin(), spec.params.end(),
                     [](const ParamSpec& param) { return param.names == NameKind::measurable; });
}

Json limit() {
  Json properties = Json::object();
  for (const ParamSpec& spec : limit_params()) properties[spec.name] = described(spec.doc, any_quantity());
  return {{"type", "object"},
          {"properties", properties},
          {"additionalProperties", false},
          {"minProperties", 1},
          {"dependentRequired", {{"nominal", {"tolerance"}}, {"tolerance", {"nominal"}}}}};
}

Json condition() {
  Json verdicts = Json::array();
  for (const std::string_view name : kVerdictNames) verdicts.push_back(name);
  const Json verdict = {{"enum", verdicts}};
  const Json map = {
      {"type", "object"},
      {"properties",
       {{"step", described("The id of an earlier step.", {{"type", "string"}})},
        {"verdict", described("Its verdict is one of these.",
                              {{"anyOf", Json::array({verdict, {{"type", "array"}, {"items", verdict}}})}})},
        {"measure", described("A measurable ...", {{"type", "string"}})},
        {"above", described("... that is above.", any_quantity())},
        {"below", described("... that is below.", any_quantity())}}},
      {"additionalProperties", false},
      {"minProperties", 2}};
  return {{"description", "When the step runs: a comparison of parameters, or a map; all that is set must hold."},
          {"anyOf", Json::array({map, {{"type", Json({"string", "boolean"})}}})}};
}

Json for_each() {
  const Json range = {{"type", "object"},
                      {"properties", {{"from", any_quantity()}, {"to", any_quantity()}, {"step", any_quantity()}}},
                      {"required", {"from", "to", "step"}},
                      {"additionalProperties", false}};
  const Json list = {{"type", "array"}, {"minItems", 1}, {"items", {{"type", Json({"string", "number", "boolean"})}}}};
  return {{"description", "Runs the group once for each value of its variable: a list, ${list}, or a range."},
          {"type", "object"},
          {"minProperties", 1},
          {"additionalProperties", or_parameter({{"anyOf", Json::array({list, range})}})}};
}

Json common(bool of_verb) {
  Json out = schema::map(step_params(), Parameters::allowed);
  Json& properties = out["properties"];
  properties["id"] = schema::identifier("The step's name in records; unique within the sequence.", Parameters::allowed);
  properties["when"] = reference("condition");
  if (of_verb) properties["retry"] = schema::map(retry_params(), Parameters::allowed);
  return out;
}

Json with_of(const StepSpec& spec) {
  Json with = schema::map(spec.params, Parameters::allowed);
  // The dimension of such a quantity is that of what the step measures, which the schema cannot know.
  for (const ParamSpec& param : spec.params)
    if (param.type == ParamType::quantity && param.dimension == Dimension::none && measures_something(spec))
      with["properties"][param.name] = described(param.doc, any_quantity());
  return with;
}

Json rule_of(const StepSpec& spec) {
  Json limits = {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  bool main = false;
  for (const MeasurableSpec& measure : spec.measures) {
    if (!measure.name.empty()) limits["properties"][measure.name] = described(measure.doc, reference("limit"));
    main = main || measure.name.empty();
  }
  Json properties = {{"do", described(spec.doc, {{"const", spec.verb}})}, {"with", with_of(spec)}};
  properties["limits"] = std::move(limits);
  if (!main) properties["limit"] = false;
  Json then = {{"properties", std::move(properties)}};
  const bool needs_with =
      std::any_of(spec.params.begin(), spec.params.end(), [](const ParamSpec& param) { return param.required; });
  if (needs_with) then["required"] = Json::array({"with"});
  return {{"if", {{"properties", {{"do", {{"const", spec.verb}}}}}, {"required", Json::array({"do"})}}},
          {"then", std::move(then)}};
}

Json verb(const Vocabulary& vocabulary) {
  Json out = common(true);
  Json verbs = Json::array();
  Json rules = Json::array();
  for (const StepSpec& spec : vocabulary.steps) {
    verbs.push_back(spec.verb);
    rules.push_back(rule_of(spec));
  }
  Json& properties = out["properties"];
  properties["do"] = {{"description", "The verb: what the step does."}, {"enum", verbs}};
  properties["with"] = {{"description", "The verb's parameters."}, {"type", "object"}};
  properties["limit"] = described("The limit of the main measurement.", reference("limit"));
  properties["limits"] = {{"description", "Limits by the name of the measurement."},
                          {"type", "object"},
                          {"additionalProperties", reference("limit")}};
  out["required"] = {"id", "do"};
  out["allOf"] = rules;
  return out;
}

Json group(const char* children) {
  Json out = common(false);
  out["properties"][children] = reference("steps");
  out["properties"]["for_each"] = reference("for_each");
  out["required"] = Json::array({children});
  return out;
}

Json step() {
  const auto when = [](const char* key, Json then, Json otherwise) {
    return Json{{"if", {{"required", Json::array({key})}}}, {"then", std::move(then)}, {"else", std::move(otherwise)}};
  };
  Json out = when("parallel", reference("parallel"), when("steps", reference("sequential"), reference("verb")));
  out["type"] = "object";
  return out;
}

Json phase() {
  Json out = schema::map(phase_params(), Parameters::allowed);
  Json& properties = out["properties"];
  properties["name"] = schema::identifier("The phase's name in records; unique.", Parameters::allowed);
  properties["setup"] = described("Runs first.", reference("steps"));
  properties["steps"] = described("What the phase is about.", reference("steps"));
  properties["teardown"] = described("Runs at the end, whatever happened.", reference("steps"));
  out["required"] = {"name", "steps"};
  return out;
}

Json include() {
  return {
      {"type", "object"},
      {"properties",
       {{"include", described("A sequence file, relative to this one, whose phases run here.", {{"type", "string"}})},
        {"with", described("Its parameters.", {{"type", "object"}})}}},
      {"required", Json::array({"include"})},
      {"additionalProperties", false}};
}

Json parameters() {
  Json names = Json::array();
  Json elements = Json::array();
  for (const ParameterType& type : parameter_types()) {
    names.push_back(type.name);
    if (type.type != ParamType::list) elements.push_back(type.name);
  }
  const Json scalar = {{"type", Json({"string", "number", "boolean"})}};
  const Json parameter = {{"type", "object"},
                          {"properties",
                           {{"type", described("What it may be.", {{"enum", names}})},
                            {"of", described("What the elements of a list may be.", {{"enum", elements}})},
                            {"default", {{"description", "Its value when none is given."}}},
                            {"min", described("The least value.", scalar)},
                            {"max", described("The greatest value.", scalar)},
                            {"choices", described("The values it may have.", {{"type", "array"}})},
                            {"doc", schema::text("What it is for.")}}},
                          {"required", Json::array({"type"})},
                          {"additionalProperties", false}};
  return {{"description", "Set by `--set name=value`, used as ${name}."},
          {"type", "object"},
          {"propertyNames", {{"pattern", "^[A-Za-z][A-Za-z0-9_-]*$"}}},
          {"additionalProperties", parameter}};
}

}  // namespace

std::string sequence_schema(const Vocabulary& vocabulary) {
  Json root =
      schema::document("Firstlight sequence", "What is done with a chip and its board, and within which limits.");
  root["type"] = "object";
  Json header = schema::map(header_params(), Parameters::none);
  header["properties"]["name"] = schema::identifier("The sequence's name in records and reports.", Parameters::none);
  const Json item = {{"if", {{"required", Json::array({"include"})}}},
                     {"then", reference("include")},
                     {"else", reference("phase")},
                     {"type", "object"}};
  root["properties"] = {{"sequence", header},
                        {"parameters", parameters()},
                        {"phases", {{"type", "array"}, {"minItems", 1}, {"items", item}}}};
  root["required"] = {"sequence", "phases"};
  root["additionalProperties"] = false;
  root["$defs"] = {{"phase", phase()},
                   {"include", include()},
                   {"steps", {{"type", "array"}, {"items", reference("step")}}},
                   {"step", step()},
                   {"sequential", group("steps")},
                   {"parallel", group("parallel")},
                   {"verb", verb(vocabulary)},
                   {"limit", limit()},
                   {"condition", condition()},
                   {"for_each", for_each()}};
  return root.dump(2) + '\n';
}

}  // namespace firstlight
