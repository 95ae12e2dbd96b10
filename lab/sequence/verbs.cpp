#include <fmt/format.h>

#include <algorithm>

#include "lab/core/suggest.h"
#include "lab/sequence/limits.h"
#include "lab/sequence/parser.h"

namespace firstlight {
namespace {

/// The parameter by which a step says what it measures, or null.
const ParamSpec* measured_param(const StepSpec& spec) {
  for (const ParamSpec& param : spec.params)
    if (param.names == NameKind::measurable) return &param;
  return nullptr;
}

std::vector<std::string> measure_names(const StepSpec& spec) {
  std::vector<std::string> names;
  for (const MeasurableSpec& measure : spec.measures)
    if (!measure.name.empty()) names.push_back(measure.name);
  return names;
}

const MeasurableSpec* find_measure(const StepSpec& spec, const std::string& name) {
  for (const MeasurableSpec& measure : spec.measures)
    if (measure.name == name) return &measure;
  return nullptr;
}

}  // namespace

void SequenceParser::check_needs(const StepSpec& spec, const Place& verb) {
  if (bench_ == nullptr || spec.needs.empty()) return;
  if (std::find(capabilities_.begin(), capabilities_.end(), spec.needs) != capabilities_.end()) return;
  reader_.error(verb, fmt::format("`{}` needs `{}`, which the bench `{}` does not offer; it offers: {}", spec.verb,
                                  spec.needs, bench_->name, list_text(capabilities_)));
}

std::optional<Dimension> SequenceParser::floating_dimension(const StepSpec& spec, const Place* with) {
  const ParamSpec* param = measured_param(spec);
  if (param == nullptr) return std::nullopt;
  const Entry* entry = with == nullptr ? nullptr : (*with)->find(param->name);
  if (entry == nullptr) return Dimension::none;
  const Node& node = entry->value.is_list() && !entry->value.items.empty() ? entry->value.items.front() : entry->value;
  const auto found = measurables_.find(node.text);
  return found == measurables_.end() ? Dimension::none : found->second.dimension;
}

void SequenceParser::read_verb_body(MapReader& map, const StepSpec& spec, StepPlan& step) {
  const Node nothing{Node::Kind::map, {}, false, {}, {}, map.place()->where, false};
  const auto given = map.find("with");
  const Place with = given.value_or(Place{&nothing, map.place().path + ".with"});
  if (with->is_map()) {
    MapReader params(reader_, with, fmt::format("`{}`", spec.verb));
    step.with = params.params(spec.params, floating_dimension(spec, &with));
    params.finish();
  } else {
    reader_.error(with, fmt::format("expected the parameters of `{}` as a map, found {}", spec.verb, describe(*with)));
  }
  read_limits(map, spec, step);
  check_envelope(spec, step, with.path);
}

std::optional<Dimension> SequenceParser::limit_dimension(const MeasurableSpec& measure, const StepSpec& spec,
                                                         const StepPlan& step) {
  const ParamSpec* param = measured_param(spec);
  if (measure.dimension != Dimension::none || param == nullptr) return measure.dimension;
  const auto value = step.with.find(param->name);
  if (value == step.with.end()) return std::nullopt;
  const bool list = std::holds_alternative<Value::List>(value->second.data);
  if (list && value->second.list().empty()) return std::nullopt;
  const std::string& name = list ? value->second.list().front().text() : value->second.text();
  const auto found = measurables_.find(name);
  if (found == measurables_.end()) return std::nullopt;
  if (list)
    for (const Value& other : value->second.list()) {
      const auto known = measurables_.find(other.text());
      if (known != measurables_.end() && known->second.dimension != found->second.dimension)
        reader_.error(
            other.where, "",
            fmt::format("one limit cannot judge both a {} (`{}`) and a {} (`{}`)", name_of(found->second.dimension),
                        name, name_of(known->second.dimension), other.text()));
    }
  return found->second.dimension;
}

void SequenceParser::read_limits(MapReader& map, const StepSpec& spec, StepPlan& step) {
  const auto read = [&](const Place& place, const MeasurableSpec& measure) {
    if (const auto limit = read_limit(reader_, place, limit_dimension(measure, spec, step)))
      step.limits[measure.name] = *limit;
  };
  const auto names = measure_names(spec);
  if (const auto limit = map.find("limit")) {
    if (const MeasurableSpec* main = find_measure(spec, "")) {
      read(*limit, *main);
    } else {
      reader_.error(*limit, names.empty() ? fmt::format("`{}` measures nothing that a limit could judge", spec.verb)
                                          : fmt::format("`{}` has no main measurement; name one under `limits`: {}",
                                                        spec.verb, list_text(names)));
    }
  }
  const auto limits = map.find("limits");
  if (!limits || !MapReader(reader_, *limits, "`limits`").valid()) return;
  for (const Entry& entry : (*limits)->entries) {
    const std::string path = limits->path + '.' + entry.key;
    const MeasurableSpec* measure = find_measure(spec, entry.key);
    if (measure == nullptr || entry.key.empty()) {
      reader_.error(entry.where, path,
                    fmt::format("`{}` measures no \"{}\"; it measures: {}", spec.verb, entry.key, list_text(names)),
                    nearest_name(entry.key, names));
    } else {
      read({&entry.value, path}, *measure);
    }
  }
}

}  // namespace firstlight
