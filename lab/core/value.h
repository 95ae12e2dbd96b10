#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "lab/core/diagnostic.h"
#include "lab/core/quantity.h"

namespace firstlight {

/// A typed value of a YAML file, with its place.
struct Value {
  using List = std::vector<Value>;
  using Map = std::map<std::string, Value>;
  std::variant<std::monostate, bool, std::int64_t, Quantity, std::string, List, Map> data;
  SourceLocation where;

  bool is_set() const { return !std::holds_alternative<std::monostate>(data); }
  /// Each throws std::bad_variant_access when the value is of another type: the parser has checked it, so that is a
  /// bug.
  bool boolean() const { return std::get<bool>(data); }
  std::int64_t integer() const { return std::get<std::int64_t>(data); }
  Quantity quantity() const { return std::get<Quantity>(data); }
  const std::string& text() const { return std::get<std::string>(data); }
  const List& list() const { return std::get<List>(data); }
  const Map& map() const { return std::get<Map>(data); }
};

}  // namespace firstlight
