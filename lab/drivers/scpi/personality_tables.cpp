#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "lab/document/schema.h"
#include "lab/drivers/scpi/personality_reader.h"

namespace firstlight::scpi {

namespace {

using Json = nlohmann::ordered_json;
using schema::Parameters;

ParamSpec param(std::string name, ParamType type, std::string doc, std::string fallback = {}) {
  ParamSpec spec;
  spec.name = std::move(name);
  spec.type = type;
  spec.doc = std::move(doc);
  spec.fallback = std::move(fallback);
  return spec;
}

ParamSpec time(std::string name, std::string doc, std::string fallback) {
  ParamSpec spec = param(std::move(name), ParamType::quantity, std::move(doc), std::move(fallback));
  spec.dimension = Dimension::time;
  spec.min = 0;
  return spec;
}

ParamSpec required(ParamSpec spec) {
  spec.required = true;
  return spec;
}

ParamSpec choice(std::string name, std::vector<std::string> choices, std::string doc, std::string fallback) {
  ParamSpec spec = param(std::move(name), ParamType::enumeration, std::move(doc), std::move(fallback));
  spec.choices = std::move(choices);
  return spec;
}

ParamSpec list(std::string name, ParamType element, std::string doc) {
  ParamSpec spec = param(std::move(name), ParamType::list, std::move(doc));
  spec.element = element;
  return spec;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const KindSpec& kind : kinds()) names.push_back(kind.name);
  return names;
}

Json exchange_schema() {
  Json object = schema::map(exchange_params(), Parameters::none);
  return {{"anyOf", Json::array({Json{{"type", "string"}}, std::move(object)})}};
}

Json ranges_schema(const KindSpec& kind) {
  Json out = {{"type", "object"}, {"additionalProperties", false}};
  for (const auto& [setting, dimension] : kind.settings)
    out["properties"][setting] = schema::map(range_params(dimension), Parameters::none);
  return out;
}

Json channels_schema(const KindSpec& kind) {
  const Json count = {{"type", "integer"}, {"minimum", 1}, {"maximum", 1000}};
  const Json named = {
      {"type", "object"},
      {"properties", {{"name", {{"type", Json({"string", "integer"})}}}, {"ranges", ranges_schema(kind)}}},
      {"required", Json::array({"name"})},
      {"additionalProperties", false}};
  return {{"anyOf", Json::array({count,
                                 {{"type", "object"},
                                  {"properties", {{"count", count}, {"first", {{"type", "integer"}}}}},
                                  {"required", Json::array({"count"})},
                                  {"additionalProperties", false}},
                                 {{"type", "array"}, {"minItems", 1}, {"items", named}}})}};
}

Json commands_schema(const KindSpec& kind) {
  Json out = {{"type", "object"}, {"required", Json::array()}, {"additionalProperties", false}};
  for (const Purpose& purpose : kind.purposes) {
    out["properties"][purpose.name] = {{"description", purpose.doc}};
    out["properties"][purpose.name].update(exchange_schema());
    if (purpose.required) out["required"].push_back(purpose.name);
  }
  return out;
}

Json rule_of(const KindSpec& kind) {
  return {{"if", {{"properties", {{"kind", {{"const", kind.name}}}}}}},
          {"then",
           {{"properties",
             {{"commands", commands_schema(kind)},
              {"ranges", ranges_schema(kind)},
              {"channels", channels_schema(kind)}}}}}};
}

}  // namespace

std::vector<ParamSpec> personality_params() {
  return {required(param("personality", ParamType::text, "Its name; bench files say it.")),
          required(choice("kind", kind_names(), "What kind of instrument it is.", "")),
          required(param("doc", ParamType::text, "The instrument in one sentence.")),
          param("idn", ParamType::text, "Regular expression that the whole answer to `identify` must match."),
          param("identify", ParamType::text, "The question that the instrument answers with what it is.", "*IDN?"),
          choice("line_end", {"lf", "cr", "crlf"}, "What ends a message to the instrument.", "lf"),
          choice("answer_end", {"lf", "cr"}, "The last byte of an answer.", "lf"),
          time("timeout", "How long an answer may take.", "1 s"),
          time("first_timeout", "How long the first answer after the connection may take.", "10 s"),
          time("pacing", "Least time between two messages.", "0 s"),
          param("opc_after_set", ParamType::boolean, "*OPC? is asked after each setting; false where there is none.",
                "true"),
          param("errors", ParamType::text,
                "The question for the next entry of the error queue, or `none`. Its answer begins with a number, 0 for "
                "no error.",
                "SYST:ERR?"),
          param("event_status", ParamType::boolean,
                "*ESR? tells whether the instrument was switched on since; false where there is none.", "true"),
          param("clear", ParamType::text, "What empties the error queue, or `none`.", "*CLS"),
          param("acknowledge", ParamType::text, "What the instrument answers to each setting; nothing when absent."),
          param("select", ParamType::text, "Sent before what is meant for a channel; `{channel}` is its name.")};
}

std::vector<ParamSpec> verified_params() {
  return {required(param("source", ParamType::text, "The programming manual, and the sections that were read.")),
          required(param("hardware", ParamType::text, "What it was tried on, or `none`."))};
}

std::vector<ParamSpec> exchange_params() {
  ParamSpec digits = param("digits", ParamType::integer, "Numbers are written with this many places after the point.");
  digits.min = 0;
  digits.max = 12;
  ParamSpec scale =
      param("scale", ParamType::quantity, "Base units that one unit of the instrument's number is worth.");
  ParamSpec bits = list("bits", ParamType::integer, "The answer is a status word: the bit of each channel.");
  bits.min = 0;
  bits.max = 62;
  return {
      required(list("send", ParamType::text, "The message, or several in order; a question's last one is asked.")),
      param("answer", ParamType::text, "Regular expression of the whole answer; its first group is the value."),
      bits,
      list("on", ParamType::text, "Answers that mean yes; 1 and ON when absent."),
      list("off", ParamType::text, "Answers that mean no; 0 and OFF when absent."),
      choice("number", {"decimal", "hex16"}, "How numbers are written: hex16 is two's complement, 16 bits.", "decimal"),
      digits,
      scale};
}

std::vector<ParamSpec> range_params(Dimension dimension) {
  std::vector<ParamSpec> specs = {param("min", ParamType::quantity, "The least that can be set."),
                                  param("max", ParamType::quantity, "The most that can be set."),
                                  param("resolution", ParamType::quantity, "The step between two values.")};
  for (ParamSpec& spec : specs) spec.dimension = dimension;
  if (dimension == Dimension::temperature) specs[2].dimension = Dimension::temperature_change;
  return specs;
}

std::string personality_schema() {
  Json root = schema::document("Firstlight personality", "How one model of instrument wants to be spoken to.");
  root.update(schema::map(personality_params(), Parameters::none));
  root["properties"]["verified"] = schema::map(verified_params(), Parameters::none);
  root["properties"]["commands"] = {{"description", "What is said for each purpose."}, {"type", "object"}};
  root["properties"]["ranges"] = {{"description", "What each setting may be."}, {"type", "object"}};
  root["properties"]["channels"] = {{"description", "How many channels there are, or each by its name."}};
  root["required"].push_back("verified");
  root["required"].push_back("commands");
  root["allOf"] = Json::array();
  for (const KindSpec& kind : kinds()) root["allOf"].push_back(rule_of(kind));
  return root.dump(2) + '\n';
}

}  // namespace firstlight::scpi
