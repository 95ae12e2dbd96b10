#include "lab/runner/json_text.h"

#include <fmt/chrono.h>

#include <cmath>

namespace firstlight {

Json json_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Json json_of(const Value& value) {
  struct Visitor {
    Json operator()(std::monostate) const { return nullptr; }
    Json operator()(bool v) const { return v; }
    Json operator()(std::int64_t v) const { return v; }
    Json operator()(const Quantity& v) const { return to_text(v, 9); }
    Json operator()(const std::string& v) const { return v; }
    Json operator()(const Value::List& list) const {
      Json json = Json::array();
      for (const auto& element : list) json.push_back(json_of(element));
      return json;
    }
    Json operator()(const Value::Map& map) const {
      Json json = Json::object();
      for (const auto& [key, element] : map) json[key] = json_of(element);
      return json;
    }
  };
  return std::visit(Visitor{}, value.data);
}

Json json_of(const Limit& limit) {
  Json json = Json::object();
  if (limit.min) json["min"] = json_of(*limit.min);
  if (limit.max) json["max"] = json_of(*limit.max);
  if (limit.nominal) json["nominal"] = json_of(*limit.nominal);
  if (limit.marginal != 0) json["marginal"] = json_of(limit.marginal);
  put(json, "unit", std::string(base_unit(limit.dimension)));
  json["text"] = to_text(limit);
  return json;
}

Json json_of(const FailureEvent& event) {
  const Failure& failure = event.failure;
  Json json = {{"class", name_of(failure.error_class)}, {"symptom", failure.symptom}, {"message", failure.message}};
  put(json, "part", failure.part);
  put(json, "sent", failure.sent);
  put(json, "received", failure.received);
  put(json, "likely_cause", failure.likely_cause);
  json["t"] = t_of(event.at);
  if (event.attempt > 0) json["attempt"] = event.attempt;
  return json;
}

Json json_of(const SourceLocation& where) { return {{"file", where.file}, {"line", where.line}}; }

Json json_of(const std::vector<VerifiedRail>& rails) {
  Json json = Json::array();
  for (const auto& rail : rails) {
    Json one = {{"rail", rail.rail}};
    if (rail.on) one["on"] = *rail.on;
    if (rail.voltage) one["voltage"] = json_of(*rail.voltage);
    one["residual"] = rail.residual;
    one["independent"] = rail.independent;
    one["safe"] = rail.safe;
    put(one, "note", rail.note);
    json.push_back(std::move(one));
  }
  return json;
}

Json validators_of(const Limit& limit) {
  Json json = Json::array();
  const auto add = [&](const char* name, const char* type, double value) {
    json.push_back({{"name", name}, {"type", type}, {"value", json_of(value)}});
  };
  if (limit.min && limit.max && *limit.min == *limit.max) {
    add("equal", "EQUAL", *limit.min);
  } else {
    if (limit.min) add("min", "GREATER_THAN_OR_EQUAL", *limit.min);
    if (limit.max) add("max", "LESS_THAN_OR_EQUAL", *limit.max);
  }
  if (json.empty()) return json;
  Json metadata = {{"text", to_text(limit)}};
  if (limit.nominal) metadata["nominal"] = json_of(*limit.nominal);
  if (limit.marginal != 0) metadata["marginal"] = json_of(limit.marginal);
  json[0]["metadata"] = std::move(metadata);
  return json;
}

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string wall_timestamp() {
  const auto now = std::chrono::system_clock::now();
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() % 1000000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)), micros);
}

}  // namespace firstlight
