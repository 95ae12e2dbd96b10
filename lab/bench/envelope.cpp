#include "lab/bench/envelope.h"

#include <fmt/format.h>

#include <algorithm>

namespace firstlight {

namespace {

// A slew is a quotient of two measured differences.
constexpr double kRounding = 1e-9;

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::optional<std::string> after_prefix(const std::string& name, const std::string& prefix) {
  if (name.rfind(prefix, 0) != 0) return std::nullopt;
  return name.substr(prefix.size());
}

/// In a free-form map a quantity may have been left as text.
std::optional<Quantity> quantity_in(const Value& value) {
  if (const auto* quantity = std::get_if<Quantity>(&value.data)) return *quantity;
  if (const auto* text = std::get_if<std::string>(&value.data)) return parse_any_quantity(*text);
  return std::nullopt;
}

}  // namespace

Envelope::Envelope(const BenchPlan& bench) {
  for (const RailPlan& rail : bench.rails) {
    RailBounds& bounds = rails_[rail.name];
    bounds.max = rail.max;
    bounds.min = rail.min;
    bounds.slew = rail.slew;
    bounds.max_current = rail.max_current;
    for (const std::string& other : rail.after) {
      add_once(bounds.before, other);
      add_once(rails_[other].upon, rail.name);
    }
    for (const std::string& other : rail.excludes) {
      add_once(bounds.excluded, other);
      add_once(rails_[other].excluded, rail.name);
    }
  }
  for (const DriverPlan& driver : bench.drivers)
    for (const auto& [name, value] : driver.params) bound(driver.name, name, value);
}

/// `max_voltage: 12 V`, or `max: {temperature: 85 degC}` where the settings are the device's own.
void Envelope::bound(const std::string& driver, const std::string& param, const Value& value) {
  if (const auto* settings = std::get_if<Value::Map>(&value.data)) {
    if (param != "max" && param != "min") return;
    for (const auto& [setting, bound_value] : *settings) bound(driver, param + '_' + setting, bound_value);
    return;
  }
  const std::optional<Quantity> quantity = quantity_in(value);
  if (!quantity) return;
  if (const auto setting = after_prefix(param, "max_")) settings_[driver][*setting].max = quantity;
  if (const auto setting = after_prefix(param, "min_")) settings_[driver][*setting].min = quantity;
}

const Envelope::RailBounds& Envelope::rail_of(const std::string& rail) const {
  static const RailBounds kNothingAllowed{};
  const auto found = rails_.find(rail);
  return found == rails_.end() ? kNothingAllowed : found->second;
}

Envelope::Objection Envelope::rail_voltage(const std::string& rail, Voltage voltage) const {
  const RailBounds& bounds = rail_of(rail);
  // Written so that NaN is refused as well.
  if (!(voltage <= bounds.max))
    return fmt::format("{} is above what the rail `{}` can stand, {}; no sequence can exceed it", to_text(voltage),
                       rail, to_text(bounds.max));
  const Voltage least = bounds.min.value_or(Voltage(0));
  if (voltage < least)
    return fmt::format("{} is below the {} that the rail `{}` needs while it is on", to_text(voltage), to_text(least),
                       rail);
  return std::nullopt;
}

Envelope::Objection Envelope::rail_slew(const std::string& rail, VoltageSlew slew) const {
  const auto& most = rail_of(rail).slew;
  if (!most || slew <= *most * (1 + kRounding)) return std::nullopt;
  return fmt::format("{} is steeper than the rail `{}` allows, {}", to_text(slew), rail, to_text(*most));
}

Envelope::Objection Envelope::rail_current(const std::string& rail, Current current) const {
  const auto& most = rail_of(rail).max_current;
  if (!most || current <= *most) return std::nullopt;
  return fmt::format("{} is more than the rail `{}` may draw, {}", to_text(current), rail, to_text(*most));
}

Envelope::Objection Envelope::setting(const std::string& driver, const std::string& setting,
                                      const Quantity& value) const {
  const auto of_driver = settings_.find(driver);
  if (of_driver == settings_.end()) return std::nullopt;
  const auto found = of_driver->second.find(setting);
  if (found == of_driver->second.end()) return std::nullopt;
  const Bounds& bounds = found->second;
  // What is of another dimension is another mistake, and told by who knows the setting.
  for (const auto& bound : {bounds.max, bounds.min})
    if (bound && bound->dimension != value.dimension) return std::nullopt;
  if (bounds.max && !(value.value <= bounds.max->value))
    return fmt::format("{} is above the max_{} of `{}`, {}; no sequence can exceed it", to_text(value), setting, driver,
                       to_text(*bounds.max));
  if (bounds.min && !(value.value >= bounds.min->value))
    return fmt::format("{} is below the min_{} of `{}`, {}", to_text(value), setting, driver, to_text(*bounds.min));
  return std::nullopt;
}

}  // namespace firstlight
