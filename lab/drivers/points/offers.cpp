#include "lab/drivers/points/offers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/bench/measures.h"
#include "lab/core/failure.h"
#include "lab/core/suggest.h"
#include "lab/drivers/params.h"
#include "lab/drivers/points/capabilities.h"

namespace firstlight {

namespace {

constexpr std::string_view kMax = "max_";

std::vector<std::string> names_of(const std::vector<PointReading>& readings) {
  std::vector<std::string> names;
  names.reserve(readings.size());
  for (const PointReading& reading : readings) names.push_back(reading.name);
  return names;
}

const PointReading* find_reading(const std::vector<PointReading>& readings, const std::string& name) {
  const auto found =
      std::find_if(readings.begin(), readings.end(), [&](const PointReading& one) { return one.name == name; });
  return found == readings.end() ? nullptr : &*found;
}

/// What was not known when the bench was built is checked here.
Quantity read_as(PointDevice& device, const std::string& name, Dimension dimension) {
  const Quantity value = device.read(name);
  if (value.dimension == dimension) return value;
  throw FailureError({ErrorClass::bench, "wrong_dimension",
                      fmt::format("{} gives {} as a {}, and the bench expects a {}", device.part(), name,
                                  name_of(value.dimension), name_of(dimension)),
                      device.part(), name, to_text(value), "the bench file names another reading than it means"});
}

void add_measurable(Bench& bench, const std::string& driver, const std::string& suffix, const PointReading& reading,
                    const std::shared_ptr<PointDevice>& device) {
  const std::string name = reading.name;
  const Dimension dimension = reading.dimension;
  bench.add({driver + "." + suffix,
             reading.dimension,
             {},
             fmt::format("{} {}", device->part(), name),
             [device, name, dimension] { return read_as(*device, name, dimension); }});
}

void check_measure(const NamedMeasure& named, const std::vector<PointReading>& readings, const std::string& source,
                   const std::string& part) {
  const PointReading* reading = find_reading(readings, source);
  if (reading == nullptr)
    throw_bad_param(named.where, fmt::format("{} has no reading \"{}\"", part, source),
                    nearest_name(source, names_of(readings)));
  if (reading->dimension != named.dimension)
    throw_bad_param(named.where, fmt::format("reading \"{}\" of {} is of dimension {}, not {}", source, part,
                                             name_of(reading->dimension), name_of(named.dimension)));
}

void check_maxima(const DriverPlan& plan, const PointLimits& limits, PointSetpoints& setpoints) {
  for (const auto& [name, bound] : limits.maxima)
    if (setpoints.dimension(name) != bound.dimension)
      throw_bad_param(plan.where, fmt::format("`max` of {} must be a {}", name, name_of(setpoints.dimension(name))));
}

/// What a coolant unit needs and the device lacks, in words.
std::vector<std::string> missing_for_coolant(PointDevice& device) {
  std::vector<std::string> missing;
  const std::vector<PointReading> readings = device.readings();
  for (const MeasurableSpec& measure : coolant_measures()) {
    const PointReading* reading = find_reading(readings, measure.name);
    if (reading == nullptr || reading->dimension != measure.dimension)
      missing.push_back(fmt::format("a reading `{}` ({})", measure.name, name_of(measure.dimension)));
  }
  const std::vector<PointSetting> settings = device.settings();
  for (const PointReading& needed :
       {PointReading{"temperature", Dimension::temperature}, PointReading{"flow", Dimension::flow}})
    if (std::none_of(settings.begin(), settings.end(), [&](const PointSetting& setting) {
          return setting.name == needed.name && setting.dimension == needed.dimension;
        }))
      missing.push_back(fmt::format("a setting `{}` ({})", needed.name, name_of(needed.dimension)));
  const std::vector<std::string> outputs = device.outputs();
  if (std::find(outputs.begin(), outputs.end(), "pump") == outputs.end()) missing.emplace_back("an output `pump`");
  return missing;
}

}  // namespace

PointLimits point_limits(const DriverPlan& plan) {
  PointLimits limits;
  for (const auto& [name, value] : plan.params)
    if (name.compare(0, kMax.size(), kMax) == 0 && value.is_set())
      limits.maxima[name.substr(kMax.size())] = value.quantity();
  if (const Value* maxima = find_param(plan.params, "max"))
    for (const auto& [name, value] : maxima->map()) {
      const auto* quantity = std::get_if<Quantity>(&value.data);
      if (quantity == nullptr)
        throw_bad_param(value.where, fmt::format("`max` of {} must be a quantity with its unit", name));
      limits.maxima[name] = *quantity;
    }
  if (const auto settle = quantity_param(plan.params, "settle")) limits.settle = to_duration(*settle);
  return limits;
}

void offer_points(const DriverPlan& plan, DriverEnvironment& environment, const std::shared_ptr<PointDevice>& device) {
  Bench& bench = environment.bench();
  const PointLimits limits = point_limits(plan);
  const auto setpoints = std::make_shared<PointSetpoints>(device, limits);
  const auto outlets = std::make_shared<PointSwitch>(device, limits, environment.time());
  bench.keep(setpoints);
  bench.keep(outlets);
  const bool described = device->described();
  if (described) check_maxima(plan, limits, *setpoints);
  if (!described || !device->settings().empty()) bench.offer<Setpoints>(plan.name, *setpoints);
  if (!described || !device->outputs().empty()) bench.offer<Switch>(plan.name, *outlets);
  for (const NamedMeasure& named : named_measures(plan.params, "measures")) {
    const std::string source = named.text("reading").value_or(named.name);
    if (described) check_measure(named, device->readings(), source, device->part());
    add_measurable(bench, plan.name, named.name, {source, named.dimension}, device);
  }
}

void offer_coolant(const DriverPlan& plan, DriverEnvironment& environment, const std::shared_ptr<PointDevice>& device) {
  const auto missing = device->described() ? missing_for_coolant(*device) : std::vector<std::string>();
  if (!missing.empty())
    throw_bad_param(plan.where,
                    fmt::format("{} is no coolant unit: it lacks {}", device->part(), fmt::join(missing, ", ")));
  Bench& bench = environment.bench();
  const auto unit = std::make_shared<PointCoolant>(device, point_limits(plan), environment.time());
  bench.keep(unit);
  bench.offer<CoolantUnit>(plan.name, *unit);
  for (const MeasurableSpec& measure : coolant_measures())
    add_measurable(bench, plan.name, measure.name, {measure.name, measure.dimension}, device);
}

std::vector<ParamSpec> point_params() {
  ParamSpec measures;
  measures.name = "measures";
  measures.type = ParamType::map;
  measures.doc =
      "Readings of the device that the bench measures: `air: temperature` makes the reading `air` the measurable "
      "`<driver>.air`; `air: {measures: temperature, reading: chamber_air}` gives it a name of its own.";
  ParamSpec maxima;
  maxima.name = "max";
  maxima.type = ParamType::map;
  maxima.doc = "The most that a sequence may set, by set point: `{temperature: 85 degC}`.";
  ParamSpec settle;
  settle.name = "settle";
  settle.type = ParamType::quantity;
  settle.dimension = Dimension::time;
  settle.fallback = "10 s";
  settle.min = 0;
  settle.doc = "How long an output may take to read back as it was switched.";
  return {measures, maxima, settle};
}

std::vector<ParamSpec> coolant_params() {
  ParamSpec temperature;
  temperature.name = "max_temperature";
  temperature.type = ParamType::quantity;
  temperature.dimension = Dimension::temperature;
  temperature.min = 0;
  temperature.doc = "No sequence may set a hotter inlet.";
  ParamSpec flow = temperature;
  flow.name = "max_flow";
  flow.dimension = Dimension::flow;
  flow.doc = "No sequence may set more.";
  return {temperature, flow, point_params().back()};
}

std::vector<MeasurableSpec> coolant_measures() {
  return {{"inlet", Dimension::temperature, "Coolant temperature towards the cold plate."},
          {"outlet", Dimension::temperature, "Coolant temperature from the cold plate."},
          {"flow", Dimension::flow, "Flow, measured."},
          {"pressure", Dimension::pressure, "Pressure, measured."},
          {"leak", Dimension::none, "1 when the unit detects a leak."}};
}

}  // namespace firstlight
