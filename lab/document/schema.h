#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/core/vocabulary.h"

namespace firstlight {

/// Parts of JSON Schemas (draft 2020-12) made from the tables that the parsers read by.
namespace schema {

/// Whether `${name}` may stand for the value.
enum class Parameters { none, allowed };

/// The schema of one parameter's value, with its documentation.
nlohmann::ordered_json of(const ParamSpec& spec, Parameters parameters);
/// A number with a unit of the dimension; plain numbers too where the dimension is plain. Dimension::none with `any`
/// takes every unit.
nlohmann::ordered_json quantity(Dimension dimension, bool any = false);
/// A closed map: the keys of the tables, the required ones required, no others.
nlohmann::ordered_json map(const std::vector<ParamSpec>& specs, Parameters parameters);
/// The root of a schema with its dialect and title.
nlohmann::ordered_json document(const std::string& title, const std::string& description);
nlohmann::ordered_json text(const std::string& description);
/// A name: letters, digits, `_`, `-`, a letter first.
nlohmann::ordered_json identifier(const std::string& description, Parameters parameters);

}  // namespace schema
}  // namespace firstlight
