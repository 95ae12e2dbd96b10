#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/bench/envelope.h"
#include "lab/bench/parse.h"
#include "lab/bench/parser.h"
#include "lab/bench/tables.h"

namespace firstlight {
namespace {

constexpr Duration kCurrentDwell = std::chrono::milliseconds(20);
constexpr Duration kCurrentPeriod = std::chrono::milliseconds(20);

const Value* at(const Value::Map& params, const std::string& key) {
  const auto found = params.find(key);
  return found == params.end() ? nullptr : &found->second;
}

template <class Physical>
std::optional<Physical> physical(const Value::Map& params, const std::string& key) {
  const Value* value = at(params, key);
  return value == nullptr ? std::nullopt : std::optional(Physical(value->quantity()));
}

std::string text_or(const Value::Map& params, const std::string& key) {
  const Value* value = at(params, key);
  return value == nullptr ? std::string() : value->text();
}

/// `rail` can be on only when `other` is, through however many rails between them.
bool needs(const Envelope& envelope, const std::string& rail, const std::string& other) {
  std::set<std::string> seen;
  std::vector<std::string> open = {rail};
  while (!open.empty()) {
    const std::string one = open.back();
    open.pop_back();
    for (const std::string& before : envelope.before(one)) {
      if (before == other) return true;
      if (seen.insert(before).second) open.push_back(before);
    }
  }
  return false;
}

}  // namespace

void BenchParser::read_rail(const std::string& name, const Place& place) {
  MapReader map(reader_, place, fmt::format("the rail `{}`", name));
  if (!map.valid()) return;
  RailPlan rail;
  rail.name = name;
  rail.where = place->where;
  // The nested maps have tables of their own.
  auto specs = rail_params();
  specs.erase(std::remove_if(specs.begin(), specs.end(), [](const auto& s) { return s.type == ParamType::map; }),
              specs.end());
  const Value::Map params = map.params(specs);
  rail.driver = text_or(params, "driver");
  if (const Value* page = at(params, "page")) rail.page = static_cast<int>(page->integer());
  rail.nominal = physical<Voltage>(params, "nominal").value_or(Voltage());
  rail.tolerance = physical<Ratio>(params, "tolerance").value_or(Ratio());
  rail.max = physical<Voltage>(params, "max").value_or(Voltage());
  rail.min = physical<Voltage>(params, "min");
  rail.slew = physical<VoltageSlew>(params, "slew");
  rail.max_current = physical<Current>(params, "max_current");
  rail.residual = physical<Voltage>(params, "residual").value_or(rail.residual);
  rail.sense = text_or(params, "sense");
  rail.fed_by = text_or(params, "fed_by");
  if (const Value* after = at(params, "after"))
    for (const Value& item : after->list()) rail.after.push_back(item.text());
  if (const Value* excludes = at(params, "excludes"))
    for (const Value& item : excludes->list()) rail.excludes.push_back(item.text());
  if (const auto pgood = map.find("pgood")) read_pgood(*pgood, rail);
  const auto safe = map.find("safe");
  const Node nothing{Node::Kind::map, {}, false, {}, {}, place->where, false};
  read_safe(safe.value_or(Place{&nothing, place.path + ".safe"}), rail);
  map.finish();
  if (at(params, "nominal") != nullptr && at(params, "max") != nullptr) check_rail(rail, place);
  check_rail_driver(rail, place);
  plan_.rails.push_back(std::move(rail));
}

void BenchParser::read_pgood(const Place& place, RailPlan& rail) {
  MapReader map(reader_, place, "`pgood`");
  if (!map.valid()) return;
  const Value::Map params = map.params(pgood_params());
  if (const Value* within = at(params, "within")) rail.pgood_within = to_duration(within->quantity());
  rail.pgood_line = text_or(params, "line");
  map.finish();
}

void BenchParser::read_safe(const Place& place, RailPlan& rail) {
  MapReader map(reader_, place, "`safe`");
  if (!map.valid()) return;
  const Value::Map params = map.params(safe_params());
  if (const Value* ramp = at(params, "ramp")) rail.safe_ramp = to_duration(ramp->quantity());
  map.finish();
}

void BenchParser::check_rail(const RailPlan& rail, const Place& place) {
  const auto where = [&](const std::string& key) {
    const Entry* entry = place->find(key);
    return entry != nullptr ? entry->value.where : place->where;
  };
  const auto error = [&](const std::string& key, std::string message) {
    reader_.error(where(key), place.path + '.' + key, std::move(message));
  };
  const Voltage top = rail.nominal * (1 + rail.tolerance.base());
  const Voltage bottom = rail.nominal * (1 - rail.tolerance.base());
  if (rail.nominal.base() <= 0) {
    error("nominal", "the nominal voltage must be above 0 V");
  } else if (rail.nominal > rail.max) {
    error("max",
          fmt::format("the maximum {} is below the nominal voltage {}", to_text(rail.max), to_text(rail.nominal)));
  } else if (top > rail.max) {
    error("max", fmt::format("the maximum {} is below nominal plus tolerance, {}", to_text(rail.max), to_text(top)));
  }
  if (rail.min && *rail.min > bottom)
    error("min",
          fmt::format("the minimum {} is above nominal less tolerance, {}", to_text(*rail.min), to_text(bottom)));
  if (rail.nominal.base() > 0 && rail.residual >= rail.nominal)
    error("residual", fmt::format("the residual voltage {} is not below nominal {}", to_text(rail.residual),
                                  to_text(rail.nominal)));
  if (rail.slew && rail.slew->base() <= 0) error("slew", "the slew must be above 0");
  if (!rail.sense.empty()) {
    const auto found = measurables_.find(rail.sense);
    if (found != measurables_.end() && found->second.dimension != Dimension::voltage)
      error("sense", fmt::format("`{}` measures a {}; a rail is sensed by a voltage", rail.sense,
                                 name_of(found->second.dimension)));
  }
}

void BenchParser::check_rail_driver(const RailPlan& rail, const Place& place) {
  const DriverTypeSpec* type = driver_type(rail.driver);
  if (type == nullptr) return;
  const SourceLocation where = place->find("driver")->value.where;
  if (std::find(type->offers.begin(), type->offers.end(), "rails") == type->offers.end())
    reader_.error(where, place.path + ".driver",
                  fmt::format("the driver `{}` ({}) makes no rails", rail.driver, type->driver));
  for (const RailPlan& other : plan_.rails)
    if (other.driver == rail.driver && other.page == rail.page)
      reader_.error(where, place.path,
                    fmt::format("page {} of `{}` makes the rail `{}` already", rail.page, rail.driver, other.name));
}

void BenchParser::check_order() {
  std::set<std::string> told;
  for (const RailPlan& start : plan_.rails) {
    // Follows every chain of `after` from this rail; one that comes back to it is a circle.
    std::vector<std::vector<std::string>> chains = {{start.name}};
    std::set<std::string> seen;
    while (!chains.empty()) {
      const auto chain = std::move(chains.back());
      chains.pop_back();
      for (const RailPlan& rail : plan_.rails) {
        if (rail.name != chain.back()) continue;
        for (const std::string& before : rail.after) {
          auto longer = chain;
          longer.push_back(before);
          if (before != start.name) {
            if (seen.insert(before).second) chains.push_back(std::move(longer));
          } else if (told.insert(start.name).second) {
            told.insert(chain.begin(), chain.end());
            reader_.error(start.where, "rails." + start.name + ".after",
                          fmt::format("`after` goes in a circle: {}", fmt::join(longer, " after ")));
          }
        }
      }
    }
  }
}

void BenchParser::check_exclusions(const std::vector<std::pair<std::string, Place>>& rails) {
  const Envelope envelope(plan_);
  for (const auto& named : rails) {
    const std::string& name = named.first;
    const Place& place = named.second;
    const Entry* entry = place->is_map() ? place->find("excludes") : nullptr;
    if (entry == nullptr) continue;
    const auto error = [&, at = entry->value.where](std::string message) {
      reader_.error(at, "rails." + name + ".excludes", std::move(message));
    };
    for (const RailPlan& rail : plan_.rails) {
      if (rail.name != name) continue;
      for (const std::string& other : rail.excludes) {
        if (other == name) error(fmt::format("`{}` excludes itself: it could never be on", name));
        if (needs(envelope, name, other))
          error(fmt::format("`{}` excludes `{}` and is on only `after` it: it could never be on", name, other));
        if (needs(envelope, other, name))
          error(fmt::format("`{}` excludes `{}`, which is on only `after` it: `{}` could never be on", name, other,
                            other));
      }
    }
  }
}

/// What may be drawn cannot be known before: it is watched instead.
void BenchParser::guard_currents() {
  for (const RailPlan& rail : plan_.rails) {
    if (!rail.max_current) continue;
    InterlockPlan guard;
    guard.name = rail.name + ".max_current";
    guard.watch = rail.name + ".current";
    guard.above = rail.max_current->quantity();
    guard.dwell = kCurrentDwell;
    guard.period = kCurrentPeriod;
    guard.when = rail.name;
    guard.where = rail.where;
    plan_.interlocks.push_back(std::move(guard));
  }
}

void BenchParser::read_bounds(MapReader& map, InterlockPlan& interlock) {
  const auto found = measurables_.find(interlock.watch);
  const bool known = found != measurables_.end();
  const Dimension dimension = known ? found->second.dimension : Dimension::none;
  const auto read = [&](const std::string& key, Dimension wanted) -> std::optional<Quantity> {
    const auto place = map.find(key);
    if (!place) return std::nullopt;
    return known ? reader_.quantity(*place, wanted) : reader_.any_quantity(*place);
  };
  const bool bounded = map.place()->find("above") != nullptr || map.place()->find("below") != nullptr;
  interlock.above = read("above", dimension);
  interlock.below = read("below", dimension);
  interlock.hysteresis =
      read("hysteresis", dimension == Dimension::temperature ? Dimension::temperature_change : dimension);
  if (!bounded) reader_.error(map.place(), "an interlock needs `above` or `below`, or both");
  if (interlock.above && interlock.below && interlock.below->value >= interlock.above->value)
    reader_.error(map.place()->find("below")->value.where, map.place().path + ".below",
                  fmt::format("below {} or above {} is always so: the interlock could never clear",
                              to_text(*interlock.below), to_text(*interlock.above)));
  if (interlock.hysteresis && interlock.hysteresis->value < 0)
    reader_.error(map.place()->find("hysteresis")->value.where, map.place().path + ".hysteresis",
                  "a hysteresis cannot be negative");
}

void BenchParser::read_interlock(const Place& place) {
  MapReader map(reader_, place, "an interlock");
  if (!map.valid()) return;
  InterlockPlan interlock;
  interlock.where = place->where;
  const Value::Map params = map.params(interlock_params());
  interlock.name = text_or(params, "name");
  interlock.watch = text_or(params, "watch");
  interlock.when = text_or(params, "when");
  if (const Value* dwell = at(params, "for")) interlock.dwell = to_duration(dwell->quantity());
  if (const Value* period = at(params, "period")) {
    interlock.period = to_duration(period->quantity());
    if (interlock.period.count() <= 0)
      reader_.error(place->find("period")->value.where, place.path + ".period", "the period must be above 0 s");
  }
  const std::string action = text_or(params, "action");
  interlock.action = action == "warn"      ? InterlockAction::warn
                     : action == "suspend" ? InterlockAction::suspend
                                           : InterlockAction::trip;
  read_bounds(map, interlock);
  map.finish();
  for (const InterlockPlan& other : plan_.interlocks)
    if (!interlock.name.empty() && other.name == interlock.name)
      reader_.error(place, fmt::format("there is an interlock `{}` already, on line {}", other.name, other.where.line));
  plan_.interlocks.push_back(std::move(interlock));
}

}  // namespace firstlight
