#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/core/suggest.h"
#include "lab/document/document.h"
#include "lab/document/reader.h"

namespace firstlight {
namespace {

/// A default as it would be written in YAML. Tables are ours, so one that does not parse is a bug that tests find.
Node fallback_node(const ParamSpec& spec, const SourceLocation& where) {
  if (spec.type != ParamType::list && spec.type != ParamType::map) return Node::scalar(spec.fallback, where);
  Diagnostics ignored;
  auto document = parse_document("default of " + spec.name, spec.fallback, ignored);
  return document ? std::move(document->root) : Node{};
}

}  // namespace

MapReader::MapReader(const Reader& reader, Place place, std::string what)
    : reader_(reader), place_(std::move(place)), what_(std::move(what)), valid_(place_->is_map()) {
  if (!valid_) reader_.error(place_, fmt::format("expected {} as a map, found {}", what_, describe(*place_)));
}

std::optional<Place> MapReader::find(const std::string& key) {
  known_.push_back(key);
  const Entry* entry = place_->find(key);
  if (entry == nullptr) return std::nullopt;
  const std::string path = place_.path.empty() ? key : place_.path + '.' + key;
  if (entry->value.is_null()) {
    reader_.error(entry->where, path, fmt::format("`{}` has no value", key));
    return std::nullopt;
  }
  return Place{&entry->value, path};
}

std::optional<Place> MapReader::require(const std::string& key) {
  auto found = find(key);
  if (!found && valid_ && place_->find(key) == nullptr) reader_.error(place_, fmt::format("{} needs `{}`", what_, key));
  return found;
}

std::optional<std::string> MapReader::text(const std::string& key) {
  const auto found = find(key);
  return found ? reader_.text(*found) : std::nullopt;
}

std::optional<std::string> MapReader::required_text(const std::string& key) {
  const auto found = require(key);
  return found ? reader_.text(*found) : std::nullopt;
}

void MapReader::fill(Value::Map& out, const ParamSpec& spec, std::optional<Dimension> floating) {
  if (spec.fallback.empty()) return;
  const Node node = fallback_node(spec, place_->where);
  Value value = reader_.value({&node, place_.path + '.' + spec.name}, spec, floating);
  if (value.is_set()) out[spec.name] = std::move(value);
}

Value::Map MapReader::params(const std::vector<ParamSpec>& specs, std::optional<Dimension> floating) {
  Value::Map out;
  for (const ParamSpec& spec : specs) {
    const auto found = find(spec.name);
    if (found) {
      Value value = reader_.value(*found, spec, floating);
      if (value.is_set()) out[spec.name] = std::move(value);
    } else if (spec.required) {
      if (place_->find(spec.name) == nullptr)
        reader_.error(place_, fmt::format("{} needs `{}`: {}", what_, spec.name, describe(spec)));
    } else {
      fill(out, spec, floating);
    }
  }
  return out;
}

void MapReader::finish() {
  if (!valid_) return;
  for (const Entry& entry : place_->entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
    const std::string path = place_.path.empty() ? entry.key : place_.path + '.' + entry.key;
    if (entry.key == "<<") {
      reader_.error(entry.where, path, "merge keys (`<<`) are not part of this language; write the keys out");
      continue;
    }
    reader_.error(entry.where, path,
                  fmt::format("{} has no key `{}`; it may have: {}", what_, entry.key, fmt::join(known_, ", ")),
                  nearest_name(entry.key, known_));
  }
}

}  // namespace firstlight
