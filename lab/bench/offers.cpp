#include <algorithm>

#include "lab/bench/measures.h"
#include "lab/bench/parse.h"

namespace firstlight {
namespace {

const DriverTypeSpec* type_of(const DriverPlan& driver, const Vocabulary& vocabulary) {
  for (const DriverTypeSpec& type : vocabulary.drivers)
    if (type.driver == driver.driver) return &type;
  return nullptr;
}

void add(std::map<std::string, MeasurableSpec>& out, const std::string& owner, const MeasurableSpec& measure) {
  MeasurableSpec named = measure;
  named.name = owner + '.' + measure.name;
  out[named.name] = named;
}

std::vector<std::string> lines_of(const DriverPlan& driver, const DriverTypeSpec& type) {
  std::vector<std::string> out;
  const auto found = driver.params.find(type.lines_param);
  if (found == driver.params.end() || !std::holds_alternative<Value::List>(found->second.data)) return out;
  for (const Value& line : found->second.list()) out.push_back(line.text());
  return out;
}

}  // namespace

std::map<std::string, MeasurableSpec> measurables_of(const BenchPlan& bench, const Vocabulary& vocabulary) {
  std::map<std::string, MeasurableSpec> out;
  for (const RailPlan& rail : bench.rails)
    for (const MeasurableSpec& measure : vocabulary.rail_measures) add(out, rail.name, measure);
  for (const DriverPlan& driver : bench.drivers)
    if (const DriverTypeSpec* type = type_of(driver, vocabulary)) {
      for (const MeasurableSpec& measure : type->measures) add(out, driver.name, measure);
      for (const std::string& line : lines_of(driver, *type))
        add(out, driver.name, {line, Dimension::none, "The level of the line, 1 when high."});
      for (const NamedMeasure& named : named_measures(driver.params, type->measures_param))
        add(out, driver.name, {named.name, named.dimension, "Named by the bench file."});
    }
  std::map<std::string, MeasurableSpec> aliased;
  for (const auto& [alias, target] : bench.aliases) {
    const auto found = out.find(target);
    if (found == out.end()) continue;
    MeasurableSpec named = found->second;
    named.name = alias;
    aliased[alias] = named;
  }
  out.merge(aliased);
  return out;
}

std::vector<std::string> lines_of(const BenchPlan& bench, const Vocabulary& vocabulary) {
  std::vector<std::string> out;
  for (const DriverPlan& driver : bench.drivers)
    if (const DriverTypeSpec* type = type_of(driver, vocabulary))
      for (const std::string& line : lines_of(driver, *type)) out.push_back(driver.name + '.' + line);
  return out;
}

std::vector<std::string> capabilities_of(const BenchPlan& bench, const Vocabulary& vocabulary) {
  std::vector<std::string> out;
  const auto add_once = [&](const std::string& capability) {
    if (std::find(out.begin(), out.end(), capability) == out.end()) out.push_back(capability);
  };
  if (!bench.rails.empty()) add_once("rails");
  for (const DriverPlan& driver : bench.drivers)
    if (const DriverTypeSpec* type = type_of(driver, vocabulary))
      for (const std::string& capability : type->offers) add_once(capability);
  return out;
}

}  // namespace firstlight
