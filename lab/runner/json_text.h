#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/core/quantity.h"
#include "lab/core/value.h"
#include "lab/runner/events.h"

namespace firstlight {

// Only for .cpp files of the runner: how its types stand in the record (docs/record.md).
using Json = nlohmann::ordered_json;

/// NaN and the infinities, which JSON lacks, as text.
Json json_of(double value);
Json json_of(const Value& value);
Json json_of(const Limit& limit);
Json json_of(const FailureEvent& failure);
Json json_of(const SourceLocation& where);
Json json_of(const std::vector<VerifiedRail>& rails);
/// OCP validators.
Json validators_of(const Limit& limit);
/// One line; bytes that are no UTF-8 are replaced.
std::string line_of(const Json& json);
/// The present wall time, UTC: "2026-01-02T03:04:05.123456Z".
std::string wall_timestamp();
inline double t_of(Instant at) { return seconds(at); }

/// Sets the key when there is something to say.
inline void put(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

}  // namespace firstlight
