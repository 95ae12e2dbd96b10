#include <fmt/format.h>

#include <algorithm>

#include "lab/core/suggest.h"
#include "lab/core/verdict.h"
#include "lab/sequence/comparison.h"
#include "lab/sequence/parser.h"

namespace firstlight {
namespace {

/// The condition as one line, for the record.
std::string line_of(const Node& node) {
  if (node.is_scalar()) return node.text;
  std::vector<std::string> parts;
  for (const Node& item : node.items) parts.push_back(line_of(item));
  for (const Entry& entry : node.entries) parts.push_back(entry.key + ": " + line_of(entry.value));
  return node.is_list() ? fmt::format("[{}]", fmt::join(parts, ", ")) : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Condition SequenceParser::read_when(const Place& place, const Surroundings& around) {
  Condition condition;
  condition.text = line_of(*place);
  if (place->is_scalar()) {
    condition.constant = decide(reader_, place);
  } else if (place->is_map()) {
    read_when_map(place, around, condition);
  } else {
    reader_.error(place,
                  fmt::format("expected a comparison, or a map with `step` or `measure`, found {}", describe(*place)));
  }
  return condition;
}

void SequenceParser::read_when_map(const Place& place, const Surroundings& around, Condition& condition) {
  MapReader map(reader_, place, "`when`");
  const auto step = map.find("step");
  const auto verdict = map.find("verdict");
  if (step) condition.step = resolve_step(*step, around);
  if (verdict) {
    const std::vector<std::string> known(kVerdictNames.begin(), kVerdictNames.end());
    for (const Place& item : reader_.items(*verdict))
      if (const auto name = reader_.choice(item, known, "a verdict")) condition.verdicts.push_back(*name);
  }
  if (step && place->find("verdict") == nullptr) reader_.error(*step, "`step` needs `verdict`: pass, fail, ...");
  if (verdict && place->find("step") == nullptr) reader_.error(*verdict, "`verdict` needs `step`: whose verdict");
  read_when_measure(map, condition);
  map.finish();
  const auto lacks = [&](const char* key) { return place->find(key) == nullptr; };
  if (lacks("step") && lacks("measure") && lacks("verdict") && lacks("above") && lacks("below"))
    reader_.error(place, "`when` needs `step` with `verdict`, or `measure` with `above` or `below`");
}

void SequenceParser::read_when_measure(MapReader& map, Condition& condition) {
  const auto measure = map.find("measure");
  const auto above = map.find("above");
  const auto below = map.find("below");
  if (!measure) {
    for (const auto& bound : {above, below})
      if (bound && map.place()->find("measure") == nullptr) reader_.error(*bound, "a bound needs `measure`: of what");
    return;
  }
  if (!above && !below) reader_.error(*measure, "`measure` needs `above` or `below`");
  const auto name = reader_.name(*measure, NameKind::measurable);
  if (!name) return;
  condition.measurable = *name;
  const auto found = measurables_.find(*name);
  const auto read = [&](const std::optional<Place>& bound) -> std::optional<Quantity> {
    if (!bound) return std::nullopt;
    return found == measurables_.end() ? reader_.any_quantity(*bound)
                                       : reader_.quantity(*bound, found->second.dimension);
  };
  condition.above = read(above);
  condition.below = read(below);
  if (condition.above && condition.below && condition.above->dimension == condition.below->dimension &&
      condition.above->value >= condition.below->value)
    reader_.error(
        *above, fmt::format("nothing is above {} and below {}", to_text(*condition.above), to_text(*condition.below)));
}

std::string SequenceParser::resolve_step(const Place& place, const Surroundings& around) {
  if (place->broken) return {};
  const auto text = reader_.text(place);
  if (!text) return {};
  // Within a for_each a plain id means the step of the same round.
  PendingStep pending;
  pending.where = place->where;
  pending.path = place.path;
  for (std::size_t keep = around.suffixes.size() + 1; keep-- > 0;) {
    std::string id = *text;
    for (std::size_t i = 0; i < keep; ++i) id += around.suffixes[i];
    if (done_.count(id) > 0) return id;
    pending.candidates.push_back(std::move(id));
  }
  pending_.push_back(std::move(pending));
  return *text;
}

void SequenceParser::check_pending() {
  std::vector<std::string> known;
  for (const auto& [id, where] : ids_) known.push_back(id);
  for (const PendingStep& pending : pending_) {
    const auto later = std::find_if(pending.candidates.begin(), pending.candidates.end(),
                                    [&](const std::string& id) { return ids_.count(id) > 0; });
    const std::string& written = pending.candidates.back();
    if (later != pending.candidates.end()) {
      reader_.error(
          pending.where, pending.path,
          fmt::format("the step `{}` (line {}) is not over before this one begins", *later, ids_[*later].line));
    } else {
      reader_.error(pending.where, pending.path, fmt::format("no step \"{}\" before this one", written),
                    nearest_name(written, known));
    }
  }
}

}  // namespace firstlight
