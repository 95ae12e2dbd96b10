#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/core/suggest.h"
#include "lab/sequence/expand.h"
#include "lab/sequence/parser.h"
#include "lab/sequence/tables.h"

namespace firstlight {
namespace {

constexpr std::size_t kMaxSteps = 20'000;
// What is wrong in that many rounds of a for_each is wrong in all: the rest would only repeat it.
constexpr int kMostBrokenRounds = 20;

/// The keys of a step that hold or make other steps: those are read on their own, each with its own scope.
bool holds_steps(const std::string& key) { return key == "steps" || key == "parallel" || key == "for_each"; }

/// The step without what it holds, parameters replaced.
Node own_part(const Place& place, const Scope& scope, const Reader& reader) {
  Node own = *place;
  own.entries.erase(
      std::remove_if(own.entries.begin(), own.entries.end(), [](const Entry& e) { return holds_steps(e.key); }),
      own.entries.end());
  return substitute({&own, place.path}, scope, reader);
}

}  // namespace

std::string Surroundings::suffix() const { return fmt::format("{}", fmt::join(suffixes, "")); }

bool SequenceParser::room_for_step(const Place& place) {
  if (++steps_ <= kMaxSteps) return true;
  if (!std::exchange(too_many_, true))
    reader_.error(place, fmt::format("the sequence has more than {} steps with every for_each run out", kMaxSteps));
  return false;
}

void SequenceParser::finish(const std::string& id) {
  if (done_.insert(id).second) over_.push_back(id);
}

std::vector<std::string> SequenceParser::withhold(std::size_t kept) {
  std::vector<std::string> out(over_.begin() + static_cast<std::ptrdiff_t>(kept), over_.end());
  over_.resize(kept);
  for (const std::string& id : out) done_.erase(id);
  return out;
}

std::vector<StepPlan> SequenceParser::read_steps(const Place& list, const Surroundings& around) {
  std::vector<StepPlan> out;
  if (!list->is_list()) {
    reader_.error(list, fmt::format("expected a list of steps, found {}", describe(*list)));
    return out;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    Surroundings inside = around;
    inside.label += fmt::format("[{}]", i);
    read_step(list.item(i), inside, out);
  }
  return out;
}

void SequenceParser::read_step(const Place& place, const Surroundings& around, std::vector<StepPlan>& out) {
  if (!place->is_map()) {
    reader_.error(place, fmt::format("expected a step as a map, found {}", describe(*place)));
    return;
  }
  if (!room_for_step(place)) return;
  const bool is_group = std::any_of(place->entries.begin(), place->entries.end(),
                                    [](const Entry& entry) { return holds_steps(entry.key); });
  const bool is_verb = place->find("do") != nullptr;
  if (is_group && is_verb) {
    reader_.error(place->find("do")->where, place.path + ".do",
                  "a step with `do` cannot hold steps: put it into the list of the group");
  } else if (is_group) {
    out.push_back(read_group(place, around));
  } else {
    out.push_back(read_verb(place, around));
  }
}

StepPlan SequenceParser::read_group(const Place& place, const Surroundings& around) {
  const Node own = own_part(place, *around.scope, reader_);
  MapReader map(reader_, {&own, place.path}, "a group");
  StepPlan group;
  group.where = place->where;
  group.kind = place->find("parallel") != nullptr ? StepPlan::Kind::parallel : StepPlan::Kind::sequential;
  group.id = read_id(map, around, false);
  read_common(map, around, group);
  for (const std::string key : {"steps", "parallel", "for_each"}) {
    map.find(key);
    if (const Entry* entry = place->find(key); entry != nullptr && entry->value.is_null())
      reader_.error(entry->where, place.path + '.' + key, fmt::format("`{}` has no value", key));
  }
  map.finish();
  if (place->find("steps") != nullptr && place->find("parallel") != nullptr)
    reader_.error(place->find("parallel")->where, place.path + ".parallel",
                  "a group has `steps` or `parallel`, not both");
  Surroundings inside = around;
  if (group.timeout) {
    inside.timeout = group.timeout;
    inside.timeout_of = fmt::format("the group `{}`", group.id);
  }
  read_children(place, inside, group);
  finish(group.id);
  return group;
}

void SequenceParser::read_children(const Place& place, const Surroundings& around, StepPlan& group) {
  const std::string key = place->find("parallel") != nullptr ? "parallel" : "steps";
  const Entry* children = place->find(key);
  if (children == nullptr) {
    reader_.error(place, "`for_each` needs `steps` or `parallel`");
    return;
  }
  if (children->value.is_null()) return;
  const Place list{&children->value, place.path + '.' + key};
  Surroundings inside = around;
  inside.label += '.' + key;
  const auto read = [&](const Surroundings& within) {
    if (group.kind == StepPlan::Kind::parallel) {
      read_branches(list, within, group.children);
    } else {
      for (StepPlan& child : read_steps(list, within)) group.children.push_back(std::move(child));
    }
  };
  const Entry* for_each = place->find("for_each");
  if (for_each == nullptr) return read(inside);
  if (for_each->value.is_null()) return;
  const std::string path = place.path + ".for_each";
  const Node values = substitute({&for_each->value, path}, *around.scope, reader_);
  const std::size_t before = over_.size();
  std::vector<std::string> withheld;
  int broken_rounds = 0;
  for (const Round& round : rounds_of(reader_, {&values, path}, *around.scope)) {
    if (too_many_) return;
    Surroundings within = inside;
    within.scope = &round.scope;
    within.suffixes.push_back(round.suffix);
    const std::size_t errors = reader_.diagnostics().list().size();
    read(within);
    if (reader_.diagnostics().list().size() > errors && ++broken_rounds >= kMostBrokenRounds) break;
    if (group.kind != StepPlan::Kind::parallel) continue;
    for (std::string& id : withhold(before)) withheld.push_back(std::move(id));
  }
  for (const std::string& id : withheld) finish(id);
}

void SequenceParser::read_branches(const Place& list, const Surroundings& around, std::vector<StepPlan>& out) {
  if (!list->is_list()) {
    reader_.error(list, fmt::format("expected a list of steps, found {}", describe(*list)));
    return;
  }
  const std::size_t before = over_.size();
  std::vector<std::string> withheld;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    Surroundings inside = around;
    inside.label += fmt::format("[{}]", i);
    read_step(list.item(i), inside, out);
    for (std::string& id : withhold(before)) withheld.push_back(std::move(id));
  }
  for (const std::string& id : withheld) finish(id);
}

StepPlan SequenceParser::read_verb(const Place& place, const Surroundings& around) {
  const Node own = own_part(place, *around.scope, reader_);
  MapReader map(reader_, {&own, place.path}, "a step");
  StepPlan step;
  step.where = place->where;
  step.id = read_id(map, around, true);
  read_common(map, around, step);
  if (const auto retry = map.find("retry")) step.retry = read_retry(*retry);
  const auto verb = map.require("do");
  std::vector<std::string> verbs;
  for (const StepSpec& spec : vocabulary_.steps) verbs.push_back(spec.verb);
  const StepSpec* chosen = nullptr;
  if (verb && !(*verb)->broken) {
    for (const StepSpec& spec : vocabulary_.steps)
      if ((*verb)->is_scalar() && spec.verb == (*verb)->text) chosen = &spec;
    if (chosen == nullptr)
      reader_.error(*verb,
                    (*verb)->is_scalar() ? fmt::format("no verb \"{}\"; there are: {}", (*verb)->text, list_text(verbs))
                                         : fmt::format("expected a verb, found {}", describe(**verb)),
                    (*verb)->is_scalar() ? nearest_name((*verb)->text, verbs) : "");
  }
  for (const std::string key : {"with", "limit", "limits"}) map.find(key);
  map.finish();
  if (chosen != nullptr) {
    step.verb = chosen->verb;
    check_needs(*chosen, *verb);
    read_verb_body(map, *chosen, step);
  }
  finish(step.id);
  return step;
}

std::string SequenceParser::read_id(MapReader& map, const Surroundings& around, bool required) {
  const auto place = required ? map.require("id") : map.find("id");
  if (!place) {
    std::string id = around.label + around.suffix();
    ids_.emplace(id, map.place()->where);
    return id;
  }
  const auto text = reader_.identifier(*place);
  if (!text) return {};
  std::string id = *text + around.suffix();
  register_id(id, (*place)->where, place->path);
  return id;
}

void SequenceParser::register_id(const std::string& id, const SourceLocation& where, const std::string& path) {
  const auto [first, fresh] = ids_.emplace(id, where);
  if (fresh) return;
  const bool elsewhere = first->second.file != where.file;
  reader_.error(where, path,
                fmt::format("the id `{}` is taken by line {}{}", id, first->second.line,
                            elsewhere ? " of " + first->second.file : ""));
}

void SequenceParser::read_common(MapReader& map, const Surroundings& around, StepPlan& step) {
  const Value::Map params = map.params(step_params());
  if (const auto title = params.find("title"); title != params.end()) step.title = title->second.text();
  if (const auto on_fail = params.find("on_fail"); on_fail != params.end())
    step.on_fail = on_fail->second.text() == "continue" ? OnFail::continue_ : OnFail::stop;
  if (const auto timeout = params.find("timeout"); timeout != params.end()) {
    step.timeout = to_duration(timeout->second.quantity());
    const std::string path = map.place().path + ".timeout";
    if (step.timeout->count() == 0) reader_.error(timeout->second.where, path, "a timeout must be above 0 s");
    if (around.timeout && *step.timeout > *around.timeout)
      reader_.error(
          timeout->second.where, path,
          fmt::format("the timeout of {} can never be reached: {} has only {}", to_text(to_quantity(*step.timeout)),
                      around.timeout_of, to_text(to_quantity(*around.timeout))));
  }
  if (const auto when = map.find("when")) step.when = read_when(*when, around);
}

RetryPlan SequenceParser::read_retry(const Place& place) {
  MapReader map(reader_, place, "`retry`");
  RetryPlan retry;
  if (!map.valid()) return retry;
  const Value::Map params = map.params(retry_params());
  map.finish();
  if (const auto times = params.find("times"); times != params.end())
    retry.times = static_cast<int>(std::clamp<std::int64_t>(times->second.integer(), 0, 1000));
  if (const auto delay = params.find("delay"); delay != params.end())
    retry.delay = to_duration(delay->second.quantity());
  return retry;
}

}  // namespace firstlight
