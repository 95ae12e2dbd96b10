#include "lab/sequence/expand.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace firstlight {
namespace {

Node broken_value(const Place& place) {
  Node node = Node::scalar("", place->where);
  node.broken = true;
  return node;
}

std::vector<Node> range_values(const Reader& reader, const Place& place) {
  MapReader map(reader, place, "a range");
  const auto from_place = map.require("from");
  const auto to_place = map.require("to");
  const auto step_place = map.require("step");
  map.finish();
  if (!from_place || !to_place || !step_place) return {broken_value(place)};
  const auto from = reader.any_quantity(*from_place);
  if (!from) return {broken_value(place)};
  const Dimension difference =
      from->dimension == Dimension::temperature ? Dimension::temperature_change : from->dimension;
  const auto to = reader.quantity(*to_place, from->dimension);
  const auto step = reader.quantity(*step_place, difference);
  if (!to || !step) return {broken_value(place)};
  const double rounds = (to->value - from->value) / step->value;
  if (step->value == 0 || !std::isfinite(rounds) || rounds < 0) {
    reader.error(*step_place, fmt::format("a step of \"{}\" never leads from \"{}\" to \"{}\"", (*step_place)->text,
                                          (*from_place)->text, (*to_place)->text));
    return {broken_value(place)};
  }
  if (rounds >= static_cast<double>(kMaxRounds)) {
    reader.error(*step_place, fmt::format("the range has more than {} values", kMaxRounds));
    return {broken_value(place)};
  }
  std::vector<Node> values;
  const auto last = static_cast<int>(std::floor(rounds + 1e-6));  // both ends belong to it, whatever rounding does
  for (int i = 0; i <= last; ++i)
    values.push_back(Node::scalar(to_text(Quantity{from->value + i * step->value, from->dimension}, 9), place->where));
  return values;
}

std::vector<Node> list_values(const Reader& reader, const Place& place) {
  std::vector<Node> values;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < place->items.size(); ++i) {
    const Place item = place.item(i);
    if (!item->is_scalar()) {
      reader.error(item, fmt::format("`for_each` runs over plain values, found {}", describe(*item)));
      values.push_back(broken_value(item));
    } else if (!item->broken && !seen.insert(item->text).second) {
      reader.error(item, fmt::format("the value \"{}\" stands in this list twice", item->text));
    } else {
      values.push_back(*item);
    }
  }
  if (values.empty()) reader.error(place, "`for_each` over an empty list runs nothing");
  return values.empty() ? std::vector<Node>{broken_value(place)} : values;
}

std::vector<Node> values_of(const Reader& reader, const Place& place) {
  if (place->is_map()) return range_values(reader, place);
  if (place->is_list()) return list_values(reader, place);
  reader.error(place,
               fmt::format("expected a list of values or a range {{from, to, step}}, found {}", describe(*place)));
  return {broken_value(place)};
}

}  // namespace

std::vector<Round> rounds_of(const Reader& reader, const Place& for_each, const Scope& scope) {
  std::vector<Round> rounds = {{scope, {}}};
  if (!for_each->is_map() || for_each->entries.empty()) {
    reader.error(for_each, fmt::format("expected `for_each: {{variable: [values]}}`, found {}", describe(*for_each)));
    return rounds;
  }
  for (const Entry& entry : for_each->entries) {
    const std::string path = for_each.path + '.' + entry.key;
    const Node name = Node::scalar(entry.key, entry.where);
    if (!reader.identifier({&name, path})) continue;
    if (scope.count(entry.key) > 0)
      reader.error(entry.where, path,
                   fmt::format("the name `{}` is taken by a parameter or an outer for_each", entry.key));
    const auto values = values_of(reader, {&entry.value, path});
    if (rounds.size() * values.size() > kMaxRounds) {
      reader.error(entry.where, path, fmt::format("this for_each runs more than {} times", kMaxRounds));
      return rounds;
    }
    std::vector<Round> longer;
    for (const Round& round : rounds) {
      for (const Node& value : values) {
        longer.push_back({round.scope, round.suffix + '[' + value.text + ']'});
        longer.back().scope[entry.key] = value;
      }
    }
    rounds = std::move(longer);
  }
  return rounds;
}

}  // namespace firstlight
