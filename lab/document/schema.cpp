#include "lab/document/schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/document/document.h"
#include "lab/document/reader.h"

namespace firstlight::schema {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNumber = R"([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?)";
constexpr const char* kHexadecimal = "[+-]?0[xX][0-9a-fA-F]+";
constexpr const char* kReference = R"(\$\{[^}]*\})";

/// A unit with what means something in a regular expression escaped.
std::string escaped(std::string_view unit) {
  std::string out;
  for (const char c : unit) out += (c == '/' ? "\\/" : std::string(1, c));
  return out;
}

std::string unit_pattern(Dimension dimension, bool any) {
  std::vector<std::string> units;
  const auto add = [&](Dimension d) {
    for (const std::string_view unit : units_of(d)) units.push_back(escaped(unit));
  };
  if (any) {
    for (int d = 0; d <= static_cast<int>(Dimension::pressure); ++d) add(static_cast<Dimension>(d));
  } else {
    add(dimension);
  }
  return fmt::format("{}", fmt::join(units, "|"));
}

bool is_plain(Dimension dimension) { return units_of(dimension).empty(); }

/// A typed example of the default, so that editors insert what the parser takes.
Json example_of(const ParamSpec& spec) {
  if (spec.type == ParamType::boolean) return spec.fallback == "true";
  if (spec.type == ParamType::list || spec.type == ParamType::map) return nullptr;
  return spec.fallback;
}

Json scalar(const ParamSpec& spec, ParamType type) {
  switch (type) {
    case ParamType::quantity:
      return quantity(spec.dimension);
    case ParamType::integer: {
      Json number = {{"type", "integer"}};
      if (spec.min) number["minimum"] = *spec.min;
      if (spec.max) number["maximum"] = *spec.max;
      return number;
    }
    case ParamType::boolean:
      return {{"type", "boolean"}};
    case ParamType::enumeration:
      return {{"enum", spec.choices}};
    case ParamType::name:
    case ParamType::text:
      if (!spec.choices.empty()) return {{"enum", spec.choices}};
      return {{"type", type == ParamType::text ? Json({"string", "number", "boolean"}) : Json("string")}};
    case ParamType::list:
      return {{"type", "array"}};
    case ParamType::map:
      return {{"type", "object"}};
  }
  return Json::object();
}

Json with_reference(Json schema) {
  return {{"anyOf", Json::array({std::move(schema), {{"type", "string"}, {"pattern", kReference}}})}};
}

}  // namespace

Json quantity(Dimension dimension, bool any) {
  const std::string units = unit_pattern(dimension, any);
  if (!any && is_plain(dimension))
    return {
        {"anyOf", Json::array({{{"type", "number"}},
                               {{"type", "string"}, {"pattern", fmt::format("^({}|{})$", kNumber, kHexadecimal)}}})}};
  Json with_unit = {{"type", "string"}, {"pattern", fmt::format("^\\s*{}\\s*({})\\s*$", kNumber, units)}};
  if (!any) {
    with_unit["examples"] = Json::array({fmt::format("10 {}", usual_unit(dimension))});
    return with_unit;
  }
  return {{"anyOf", Json::array({std::move(with_unit), quantity(Dimension::none)})}};
}

Json of(const ParamSpec& spec, Parameters parameters) {
  Json schema;
  if (spec.type == ParamType::list) {
    Json item = scalar(spec, spec.element);
    if (parameters == Parameters::allowed) item = with_reference(std::move(item));
    const Json list = {{"type", "array"}, {"items", item}};
    schema = {{"anyOf", Json::array({list, item})}};
  } else {
    schema = scalar(spec, spec.type);
    if (parameters == Parameters::allowed && spec.type != ParamType::map) schema = with_reference(std::move(schema));
  }
  Json out = {{"description", fmt::format("{} Expected: {}.", spec.doc, describe(spec))}};
  out.update(schema);
  const Json fallback = spec.fallback.empty() ? Json() : example_of(spec);
  if (!fallback.is_null()) out["default"] = fallback;
  return out;
}

Json map(const std::vector<ParamSpec>& specs, Parameters parameters) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const ParamSpec& spec : specs) {
    properties[spec.name] = of(spec, parameters);
    if (spec.required) required.push_back(spec.name);
  }
  Json out = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) out["required"] = required;
  return out;
}

Json document(const std::string& title, const std::string& description) {
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}, {"description", description}};
}

Json text(const std::string& description) {
  return {{"description", description}, {"type", Json({"string", "number", "boolean"})}};
}

Json identifier(const std::string& description, Parameters parameters) {
  const Json name = {{"type", "string"}, {"pattern", "^[A-Za-z][A-Za-z0-9_-]*$"}};
  Json out = {{"description", description}};
  out.update(parameters == Parameters::allowed ? with_reference(name) : name);
  return out;
}

}  // namespace firstlight::schema
