#include <algorithm>

#include "lab/sequence/parser.h"

namespace firstlight {
namespace {

/// The names that a parameter holds, one or a list of them.
std::vector<std::string> names_in(const Value& value) {
  if (!std::holds_alternative<Value::List>(value.data)) return {value.text()};
  std::vector<std::string> names;
  for (const Value& item : value.list()) names.push_back(item.text());
  return names;
}

const Value* given(const StepPlan& step, const std::string& param) {
  const auto found = step.with.find(param);
  return found == step.with.end() || !found->second.is_set() ? nullptr : &found->second;
}

/// The setting that a parameter is a value for: its own, or the one that another parameter names.
std::string setting_of(const ParamSpec& param, const StepPlan& step) {
  if (param.sets.front() != '@') return param.sets;
  const Value* named = given(step, param.sets.substr(1));
  return named == nullptr ? std::string() : named->text();
}

}  // namespace

void SequenceParser::check_envelope(const StepSpec& spec, const StepPlan& step, const std::string& path) {
  if (!envelope_) return;
  bool driver_named = false;
  for (const ParamSpec& param : spec.params) {
    const Value* value = given(step, param.name);
    if (value == nullptr) continue;
    if (param.names == NameKind::rail)
      for (const std::string& rail : names_in(*value)) check_rail(rail, spec, step, path);
    if (param.names == NameKind::driver)
      for (const std::string& driver : names_in(*value)) check_driver(driver, spec, step, path);
    driver_named = driver_named || param.names == NameKind::driver;
  }
  if (driver_named) return;
  // Left open: the step means the one driver that offers what it needs.
  for (const DriverPlan& driver : bench_->drivers)
    for (const DriverTypeSpec& type : vocabulary_.drivers)
      if (type.driver == driver.driver && !spec.needs.empty() &&
          std::find(type.offers.begin(), type.offers.end(), spec.needs) != type.offers.end())
        check_driver(driver.name, spec, step, path);
}

void SequenceParser::check_rail(const std::string& rail, const StepSpec& spec, const StepPlan& step,
                                const std::string& path) {
  if (std::none_of(bench_->rails.begin(), bench_->rails.end(), [&](const auto& known) { return known.name == rail; }))
    return;
  for (const ParamSpec& param : spec.params) {
    const Value* value = given(step, param.name);
    if (value == nullptr || param.type != ParamType::quantity) continue;
    Envelope::Objection objection;
    if (value->quantity().dimension == Dimension::voltage)
      objection = envelope_->rail_voltage(rail, Voltage(value->quantity()));
    if (value->quantity().dimension == Dimension::voltage_slew)
      objection = envelope_->rail_slew(rail, VoltageSlew(value->quantity()));
    if (objection) reader_.error(value->where, path + '.' + param.name, *objection);
  }
}

void SequenceParser::check_driver(const std::string& driver, const StepSpec& spec, const StepPlan& step,
                                  const std::string& path) {
  for (const ParamSpec& param : spec.params) {
    const Value* value = given(step, param.name);
    if (value == nullptr || param.sets.empty()) continue;
    if (const auto objection = envelope_->setting(driver, setting_of(param, step), value->quantity()))
      reader_.error(value->where, path + '.' + param.name, *objection);
  }
}

}  // namespace firstlight
