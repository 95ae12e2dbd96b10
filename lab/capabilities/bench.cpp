#include "lab/capabilities/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/capabilities/rail.h"
#include "lab/core/failure.h"
#include "lab/core/suggest.h"

namespace firstlight {

namespace {

[[noreturn]] void throw_missing(std::string_view what, const std::string& name, const std::vector<std::string>& known) {
  std::string message = fmt::format("the bench offers no {} \"{}\"", what, name);
  const std::string near = nearest_name(name, known);
  if (!near.empty()) message += fmt::format("; did you mean \"{}\"?", near);
  std::string cause =
      known.empty() ? fmt::format("no driver of this bench offers any {}", what)
                    : fmt::format("a driver offers less than its table says; there are: {}", fmt::join(known, ", "));
  throw FailureError({ErrorClass::bench, "missing_on_bench", std::move(message), name, {}, {}, std::move(cause)});
}

template <class Capability>
Capability& kept(std::vector<std::shared_ptr<void>>& all, std::shared_ptr<Capability> one) {
  all.push_back(one);
  return *one;
}

}  // namespace

Bench::Bench(BenchPlan plan, BenchTime& time) : plan_(std::move(plan)), time_(time), safeguard_(plan_, time) {}
Bench::~Bench() {
  // Rails and closures of measurables point into kept objects; kept objects point into earlier ones.
  measurables_.clear();
  rails_.clear();
  offers_.clear();
  while (!kept_.empty()) kept_.pop_back();
}

void Bench::add(Measurable measurable) {
  const std::string name = measurable.name;
  if (!measurables_.emplace(name, std::move(measurable)).second)
    throw FailureError(
        {ErrorClass::bug, "duplicate_measurable", fmt::format("\"{}\" is offered twice", name), name, {}, {}, {}});
}

const Measurable& Bench::measurable(const std::string& name) const {
  const auto alias = plan_.aliases.find(name);
  const auto found = measurables_.find(alias == plan_.aliases.end() ? name : alias->second);
  if (found == measurables_.end()) {
    const std::string& own = alias == plan_.aliases.end() ? name : alias->second;
    throw_if_left_out(own.substr(0, own.find('.')));
    throw_missing("measurable", name, measurable_names());
  }
  return found->second;
}

bool Bench::has_measurable(const std::string& name) const {
  const auto alias = plan_.aliases.find(name);
  return measurables_.count(alias == plan_.aliases.end() ? name : alias->second) != 0;
}

std::vector<std::string> Bench::measurable_names() const {
  std::vector<std::string> names;
  names.reserve(measurables_.size() + plan_.aliases.size());
  for (const auto& [name, measurable] : measurables_) names.push_back(name);
  for (const auto& [alias, target] : plan_.aliases) names.push_back(alias);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void Bench::add(std::unique_ptr<Rail> rail) {
  rails_.push_back(
      guarded(std::move(rail), safeguard_, [this](const std::string& name) -> Rail& { return this->rail(name); }));
}

Supply& Bench::guard(const std::string& driver, Supply& supply) {
  return kept(kept_, guarded(supply, driver, safeguard_));
}
ClockSource& Bench::guard(const std::string& driver, ClockSource& clock) {
  return kept(kept_, guarded(clock, driver, safeguard_));
}
CoolantUnit& Bench::guard(const std::string& driver, CoolantUnit& unit) {
  return kept(kept_, guarded(unit, driver, safeguard_));
}
Load& Bench::guard(const std::string& driver, Load& load) { return kept(kept_, guarded(load, driver, safeguard_)); }
Setpoints& Bench::guard(const std::string& driver, Setpoints& setpoints) {
  return kept(kept_, guarded(setpoints, driver, safeguard_));
}
Switch& Bench::guard(const std::string& driver, Switch& outlets) {
  return kept(kept_, guarded(outlets, driver, safeguard_));
}

Rail& Bench::rail(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& rail : rails_) {
    if (rail->plan().name == name) return *rail;
    known.push_back(rail->plan().name);
  }
  for (const RailPlan& plan : plan_.rails)
    if (plan.name == name) throw_if_left_out(plan.driver);
  throw_missing("rail", name, known);
}

std::vector<Rail*> Bench::rails() {
  std::vector<Rail*> ordered;
  for (const RailPlan& plan : plan_.rails)
    for (const auto& rail : rails_)
      if (rail->plan().name == plan.name) ordered.push_back(rail.get());
  return ordered;
}

void Bench::put(std::type_index type, const std::string& driver, void* object) {
  offers_[type].push_back({driver, object});
}

void Bench::throw_if_left_out(const std::string& driver) const {
  const auto found = left_out_.find(driver);
  if (found != left_out_.end()) throw FailureError(found->second);
}

void* Bench::try_find(std::type_index type, const std::string& driver) const {
  const auto offers = offers_.find(type);
  if (offers == offers_.end()) return nullptr;
  if (driver.empty()) return offers->second.size() == 1 ? offers->second.front().object : nullptr;
  for (const Offer& offer : offers->second)
    if (offer.driver == driver) return offer.object;
  return nullptr;
}

void* Bench::find(std::type_index type, const std::string& driver, std::string_view capability) const {
  if (void* object = try_find(type, driver)) return object;
  throw_if_left_out(driver);
  const std::vector<std::string> offering = drivers_offering(type);
  if (driver.empty() && offering.size() > 1)
    throw FailureError(
        {ErrorClass::bench,
         "ambiguous_capability",
         fmt::format("several drivers offer \"{}\": {}; say which one", capability, fmt::join(offering, ", ")),
         std::string(capability),
         {},
         {},
         "the step leaves open which driver it means"});
  throw_missing(fmt::format("capability \"{}\" by driver", capability), driver, offering);
}

std::vector<std::string> Bench::drivers_offering(std::type_index type) const {
  std::vector<std::string> drivers;
  const auto offers = offers_.find(type);
  if (offers != offers_.end())
    for (const Offer& offer : offers->second) drivers.push_back(offer.driver);
  std::vector<std::string> ordered;
  for (const DriverPlan& plan : plan_.drivers)
    if (std::count(drivers.begin(), drivers.end(), plan.name) != 0) ordered.push_back(plan.name);
  for (const std::string& driver : drivers)
    if (std::count(ordered.begin(), ordered.end(), driver) == 0) ordered.push_back(driver);
  return ordered;
}

}  // namespace firstlight
