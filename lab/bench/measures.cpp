#include "lab/bench/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "lab/core/suggest.h"

namespace firstlight {

namespace {

std::vector<std::string> dimension_names() {
  std::vector<std::string> names;
  for (auto i = static_cast<int>(Dimension::none); i <= static_cast<int>(Dimension::pressure); ++i)
    names.emplace_back(name_of(static_cast<Dimension>(i)));
  return names;
}

std::optional<Dimension> dimension_named(const std::string& name) {
  const std::vector<std::string> names = dimension_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Dimension>(found - names.begin());
}

bool is_identifier(const std::string& name) {
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

/// The text that should be a dimension: the entry itself, or its member `measures`; null when there is none.
const std::string* dimension_text(const Value& entry) {
  if (const auto* map = std::get_if<Value::Map>(&entry.data)) {
    const auto found = map->find("measures");
    return found == map->end() ? nullptr : std::get_if<std::string>(&found->second.data);
  }
  return std::get_if<std::string>(&entry.data);
}

const Value::Map* entries_of(const Value::Map& params, const std::string& param) {
  const auto found = params.find(param);
  return found == params.end() ? nullptr : std::get_if<Value::Map>(&found->second.data);
}

}  // namespace

std::optional<std::string> NamedMeasure::text(const std::string& member) const {
  const auto found = params.find(member);
  if (found == params.end()) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(&found->second.data)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&found->second.data)) return std::to_string(*number);
  return std::nullopt;
}

std::vector<NamedMeasure> named_measures(const Value::Map& params, const std::string& param) {
  std::vector<NamedMeasure> out;
  const Value::Map* entries = entries_of(params, param);
  if (entries == nullptr) return out;
  for (const auto& [name, entry] : *entries) {
    const std::string* text = dimension_text(entry);
    const auto dimension = text == nullptr ? std::nullopt : dimension_named(*text);
    if (!dimension || !is_identifier(name)) continue;
    NamedMeasure named;
    named.name = name;
    named.dimension = *dimension;
    named.where = entry.where;
    if (const auto* map = std::get_if<Value::Map>(&entry.data)) named.params = *map;
    named.params.erase("measures");
    out.push_back(std::move(named));
  }
  return out;
}

void check_named_measures(const DriverPlan& driver, const DriverTypeSpec& type, const std::string& path,
                          Diagnostics& diagnostics) {
  const Value::Map* entries = type.measures_param.empty() ? nullptr : entries_of(driver.params, type.measures_param);
  if (entries == nullptr) return;
  for (const auto& [name, entry] : *entries) {
    const std::string at = fmt::format("{}.{}.{}", path, type.measures_param, name);
    if (!is_identifier(name))
      diagnostics.add(entry.where, fmt::format("`{}` cannot name a measurable: letters, digits, `_` and `-`", name), {},
                      at);
    const std::string* text = dimension_text(entry);
    if (text == nullptr)
      diagnostics.add(entry.where,
                      fmt::format("`{}` must say what it measures: `{}: temperature`, or `{{measures: temperature, "
                                  "...}}`",
                                  name, name),
                      {}, at);
    else if (!dimension_named(*text))
      diagnostics.add(entry.where,
                      fmt::format("`{}` is nothing that can be measured; it may be one of {}", *text,
                                  fmt::join(dimension_names(), ", ")),
                      nearest_name(*text, dimension_names()), at);
  }
}

}  // namespace firstlight
