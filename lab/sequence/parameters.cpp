#include "lab/sequence/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/document/document.h"
#include "lab/sequence/tables.h"

namespace firstlight {
namespace {

std::vector<std::string> type_names(bool of_elements) {
  std::vector<std::string> names;
  for (const ParameterType& type : parameter_types())
    if (!of_elements || type.type != ParamType::list) names.push_back(type.name);
  return names;
}

ParameterType type_named(const std::string& name) {
  for (ParameterType& type : parameter_types())
    if (type.name == name) return std::move(type);
  return {};
}

class ParameterReader {
 public:
  ParameterReader(const Reader& reader, const std::string& name, const Place& place, const Scope& earlier)
      : reader_(reader), map_(reader, place, fmt::format("the parameter `{}`", name)), earlier_(earlier) {
    spec_.name = name;
  }

  /// Fills in the value and the node that stands for it.
  void read(const Node* set, Parameters& out);

 private:
  bool read_type();
  void read_bounds();
  std::optional<double> bound(const std::string& key);

  const Reader& reader_;
  MapReader map_;
  const Scope& earlier_;
  ParamSpec spec_;
};

bool ParameterReader::read_type() {
  const auto place = map_.require("type");
  const auto name = place ? reader_.choice(*place, type_names(false), "a type") : std::nullopt;
  if (!name) return false;
  ParameterType type = type_named(*name);
  spec_.type = type.type;
  if (type.type == ParamType::list) {
    const auto of = map_.require("of");
    const auto element = of ? reader_.choice(*of, type_names(true), "a type") : std::nullopt;
    if (!element) return false;
    type = type_named(*element);
    spec_.element = type.type;
  }
  spec_.dimension = type.dimension;
  spec_.names = type.names;
  return true;
}

std::optional<double> ParameterReader::bound(const std::string& key) {
  const auto place = map_.find(key);
  if (!place) return std::nullopt;
  const ParamType type = spec_.type == ParamType::list ? spec_.element : spec_.type;
  if (type == ParamType::integer) {
    const auto value = reader_.integer(*place);
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  }
  if (type == ParamType::quantity) {
    const auto value = reader_.quantity(*place, spec_.dimension);
    return value ? std::optional(value->value) : std::nullopt;
  }
  reader_.error(*place, fmt::format("`{}` is for numbers; this parameter is {}", key, describe(spec_)));
  return std::nullopt;
}

void ParameterReader::read_bounds() {
  const auto min = bound("min");
  const auto max = bound("max");
  if (min && max && *min > *max)
    reader_.error(map_.place()->find("min")->value.where, map_.place().path + ".min",
                  "no value is possible: `min` is above `max`");
  spec_.min = min;
  spec_.max = max;
  const auto choices = map_.find("choices");
  if (!choices) return;
  ParamSpec one = spec_;
  one.type = spec_.type == ParamType::list ? spec_.element : spec_.type;
  for (const Place& item : reader_.items(*choices))
    if (reader_.value(item, one).is_set()) spec_.choices.push_back(item->text);
}

void ParameterReader::read(const Node* set, Parameters& out) {
  Node broken = Node::scalar("", map_.place()->where);
  broken.broken = true;
  out.scope[spec_.name] = broken;
  if (!map_.valid()) return;
  const bool typed = read_type();
  if (typed) read_bounds();
  map_.text("doc");
  const auto fallback = map_.find("default");
  if (typed) map_.finish();
  if (!typed) return;
  if (set == nullptr && map_.place()->find("default") == nullptr) {
    reader_.error(map_.place(),
                  fmt::format("the parameter `{0}` has no default and was not set: use --set {0}=VALUE", spec_.name));
    return;
  }
  // The default is checked even when it is not used.
  Node node = fallback ? substitute(*fallback, earlier_, reader_) : broken;
  const std::size_t before = reader_.diagnostics().list().size();
  Value value = fallback ? reader_.value({&node, fallback->path}, spec_) : Value();
  if (set != nullptr) {
    node = *set;
    value = reader_.value({set, "parameters." + spec_.name}, spec_);
  }
  if (!spec_.choices.empty() && spec_.type != ParamType::text && node.is_scalar() && !node.broken &&
      std::find(spec_.choices.begin(), spec_.choices.end(), node.text) == spec_.choices.end())
    reader_.choice({&node, map_.place().path}, spec_.choices, "one of");
  if (!value.is_set() || reader_.diagnostics().list().size() != before) return;
  out.values[spec_.name] = std::move(value);
  out.scope[spec_.name] = std::move(node);
}

}  // namespace

Parameters read_parameters(const Reader& reader, const Place& place, const Scope& set) {
  Parameters out;
  if (!place->is_map()) {
    reader.error(place, fmt::format("expected a map of parameters, found {}", describe(*place)));
    return out;
  }
  for (const Entry& entry : place->entries) {
    const std::string path = "parameters." + entry.key;
    const Node name = Node::scalar(entry.key, entry.where);
    if (!reader.identifier({&name, path})) continue;
    const auto found = set.find(entry.key);
    ParameterReader(reader, entry.key, {&entry.value, path}, out.scope)
        .read(found == set.end() ? nullptr : &found->second, out);
  }
  return out;
}

Scope nodes_of(const Reader& reader, const ParameterOverrides& overrides) {
  Scope out;
  for (const auto& [name, text] : overrides) {
    const SourceLocation where{"--set " + name, 0, 0};
    const bool list = !text.empty() && text.front() == '[';
    out[name] = Node::scalar(text, where);
    if (!list) continue;
    if (auto document = parse_document(where.file, text, reader.diagnostics())) out[name] = std::move(document->root);
  }
  return out;
}

}  // namespace firstlight
