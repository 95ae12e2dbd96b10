#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "lab/capabilities/chip_thermal.h"
#include "lab/capabilities/rail.h"
#include "lab/steps/families.h"
#include "lab/steps/rail_actions.h"
#include "lab/steps/support.h"
#include "lab/steps/thermal_trip.h"
#include "lab/steps/undo.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

ChipThermal& thermal_of(StepContext& step) { return step.bench().get<ChipThermal>(text_of(step, "chip")); }

std::vector<std::string> zones_of(StepContext& step, const ChipThermal& thermal) {
  if (!step.has("zones")) return thermal.zones();
  std::vector<std::string> zones;
  for (const Value& zone : step.with("zones").list()) zones.push_back(zone.text());
  return zones;
}

// ---- settling

struct Settled {
  bool settled = false;
  Duration took{};
  std::map<std::string, Temperature> at;
  std::string worst;  // the zone that still moved most
  TemperatureChange worst_change;
};

/// Until no zone changed by more than `change` within the last `window`.
Settled settle(StepContext& step, ChipThermal& thermal, const std::vector<std::string>& zones, Duration window,
               double change, Duration limit) {
  const Duration period = std::max(window / 20, thermal.sample_period());
  const Instant begin = step.time().now();
  std::map<std::string, std::deque<std::pair<Instant, double>>> history;
  Settled result;
  result.settled = poll(step, period, begin + limit, [&] {
    const Instant now = step.time().now();
    bool all = now - begin >= window;
    double most = -1;
    for (const std::string& zone : zones) {
      const Temperature t = thermal.temperature(zone);
      step.sample("die." + zone, t.quantity());
      auto& points = history[zone];
      points.emplace_back(now, t.base());
      while (points.size() > 2 && now - points.front().first > window) points.pop_front();
      const auto [low, high] = std::minmax_element(points.begin(), points.end(),
                                                   [](const auto& a, const auto& b) { return a.second < b.second; });
      const double moved = high->second - low->second;
      all = all && moved <= change;
      if (moved > most) {
        most = moved;
        result.worst = zone;
        result.worst_change = TemperatureChange(moved);
      }
      result.at[zone] = t;
    }
    return all;
  });
  result.took = step.time().now() - begin;
  return result;
}

Settled settle_by_params(StepContext& step, ChipThermal& thermal, const std::vector<std::string>& zones) {
  const Settled settled = settle(step, thermal, zones, duration_of(step, "window"),
                                 step.with("change").quantity().value, duration_of(step, "within"));
  if (!settled.settled)
    step.fail(dut_failure(
        "thermal_not_settled",
        fmt::format("zone {} still moves by {} in {} after {}", settled.worst, to_text(settled.worst_change),
                    to_text(to_quantity(duration_of(step, "window"))), to_text(to_quantity(settled.took))),
        thermal.part(settled.worst), to_text(settled.at.at(settled.worst)),
        "the load is not constant, the coolant is not, or heat does not leave the die"));
  return settled;
}

std::vector<ParamSpec> settle_params() {
  return {quantity_param("change", Dimension::temperature_change,
                         "Largest change within the window that counts as settled.", "250 mK"),
          at_least(quantity_param("window", Dimension::time, "The window.", "500 ms"), 1e-3),
          quantity_param("within", Dimension::time, "The longest wait.", "20 s")};
}

// ---- soak

void soak(StepContext& step) {
  ChipThermal& thermal = thermal_of(step);
  const std::vector<std::string> zones = zones_of(step, thermal);
  const Settled settled = settle_by_params(step, thermal, zones);
  nlohmann::json json = {{"settled_s", seconds(settled.took)}, {"zones", nlohmann::json::array()}};
  Temperature hottest(-300);
  std::string where;
  for (const auto& [zone, t] : settled.at) {
    json["zones"].push_back({{"zone", zone}, {"temperature", t.base()}});
    if (t > hottest) {
      hottest = t;
      where = zone;
    }
  }
  step.data("thermal_soak", json.dump());
  step.measure("time", to_quantity(settled.took), "settling time", {});
  step.measure("", hottest.quantity(), "die." + where, thermal.part(where));
}

// ---- heaters

void heat(StepContext& step, ChipThermal& thermal, const std::string& zone, int level) {
  const std::string driver = text_of(step, "chip");
  step.energise({fmt::format("heater of zone {} at level {}", zone, level), fmt::format("heater of zone {} off", zone),
                 "heater " + zone, undo_heater(zone, driver)});
  thermal.set_heater(zone, level);
  if (const int actual = thermal.heater(zone); actual != level)
    step.fail(dut_failure(
        "heater_refused", fmt::format("the heater of zone {} was set to level {} but is at {}", zone, level, actual),
        thermal.part(zone), std::to_string(actual), "a trip is latched, or the zone's sensor is not valid"));
}

void cool(StepContext& step, ChipThermal& thermal, const std::string& zone) {
  thermal.set_heater(zone, 0);
  step.de_energised("heater " + zone);
}

/// A rail under a constant load, averaged.
struct RailLoad {
  Power power;
  Current current;
  std::optional<Voltage> sense;
};

RailLoad mean_load(StepContext& step, Rail& rail) {
  constexpr int kReadings = 16;
  double power = 0;
  double current = 0;
  double sense = 0;
  bool has_sense = true;
  for (int i = 0; i < kReadings; ++i) {
    const Current amperes = rail.current();
    power += (rail.voltage() * amperes).base();
    current += amperes.base();
    const std::optional<Voltage> volts = sensed(step.bench(), rail);
    has_sense = has_sense && volts.has_value();
    sense += volts.value_or(Voltage(0)).base();
    step.time().sleep(Duration{1'000'000'000});
  }
  RailLoad load{Power(power / kReadings), Current(current / kReadings), std::nullopt};
  if (has_sense) load.sense = Voltage(sense / kReadings);
  return load;
}

Temperature mean_temperature(StepContext& step, ChipThermal& thermal, const std::string& zone) {
  constexpr int kReadings = 16;
  double sum = 0;
  for (int i = 0; i < kReadings; ++i) {
    sum += thermal.temperature(zone).base();
    step.time().sleep(std::max(thermal.sample_period(), Duration{1'000'000}));
  }
  return Temperature(sum / kReadings);
}

// ---- resistance

void resistance(StepContext& step) {
  ChipThermal& thermal = thermal_of(step);
  const std::string& zone = step.with("zone").text();
  Rail& rail = step.bench().rail(thermal.rail_of(zone));
  const int level = static_cast<int>(step.with("level").integer());
  settle_by_params(step, thermal, {zone});
  const Temperature cold = mean_temperature(step, thermal, zone);
  const RailLoad before = mean_load(step, rail);
  heat(step, thermal, zone, level);
  settle_by_params(step, thermal, {zone});
  const Temperature hot = mean_temperature(step, thermal, zone);
  const RailLoad after = mean_load(step, rail);
  cool(step, thermal, zone);
  const double power = (after.power - before.power).base();
  const double rise = (hot - cold).base();
  if (power < 0.2 * level * step.with("level_power").quantity().value)
    step.fail(dut_failure("heater_no_power",
                          fmt::format("the heater of zone {} at level {} draws {} from {}", zone, level,
                                      to_text(Power(power)), rail.plan().name),
                          thermal.part(zone), to_text(Power(power)),
                          "the heater does not work, or the rail's current telemetry is wrong"));
  const nlohmann::json entry = {{"zone", zone}, {"k_per_w", rise / power}, {"power", power}, {"rise", rise}};
  step.data("thermal_resistance", nlohmann::json{{"zones", nlohmann::json::array({entry})}}.dump());
  step.measure("rise", {rise, Dimension::temperature_change}, "die." + zone, thermal.part(zone));
  step.measure("power", {power, Dimension::power}, rail.plan().name, rail.part());
  if (before.sense && after.sense)
    step.measure(
        "load_line",
        {(*before.sense - *after.sense).base() / (after.current - before.current).base(), Dimension::resistance},
        rail.plan().name + " load line", rail.part());
  const Quantity found{rise / power, Dimension::thermal_resistance};
  const std::string part = "cold plate over zone " + zone;
  if (step.measure("", found, "die." + zone + " resistance", part) == Verdict::fail)
    step.fail(dut_failure("thermal_resistance",
                          fmt::format("zone {} rises by {} for {}: {} to the coolant, outside of its limit", zone,
                                      to_text(TemperatureChange(rise)), to_text(Power(power)), to_text(found)),
                          part, {},
                          "the cold plate does not sit flat on this zone, or its thermal interface is dry or missing; "
                          "compare with the other zones"));
}

// ---- sensors

void check_zone_valid(StepContext& step, ChipThermal& thermal, const std::string& zone) {
  const ZoneReading reading = thermal.read(zone);
  if (!reading.fault.empty() || !reading.valid)
    step.note_failure(dut_failure(
        reading.fault.empty() ? "sensor_invalid" : "sensor_fault",
        fmt::format(
            "the sensor of zone {} {}; it reads {}", zone,
            reading.fault.empty() ? (reading.powered ? "is not valid" : "has no power") : "is faulty: " + reading.fault,
            to_text(reading.raw)),
        thermal.part(zone), reading.text, "an open or shorted sensor, a missing reference, or its rail is off"));
  step.expect("die." + zone + " sensor", reading.fault.empty() && reading.valid, "valid",
              reading.fault.empty() ? (reading.valid ? "valid" : "invalid") : reading.fault, thermal.part(zone));
}

void check_reaction(StepContext& step, ChipThermal& thermal, const std::string& zone) {
  const int level = static_cast<int>(step.with("level").integer());
  const TemperatureChange least(step.with("rise").quantity());
  thermal.forget_history();
  const Temperature before = mean_temperature(step, thermal, zone);
  heat(step, thermal, zone, level);
  step.time().sleep(duration_of(step, "heat"));
  const Temperature after = mean_temperature(step, thermal, zone);
  const ZoneReading reading = thermal.read(zone);
  cool(step, thermal, zone);
  const double rise = (after - before).base();
  if (rise < least.base())
    step.note_failure(dut_failure(
        "sensor_stuck",
        fmt::format("the sensor of zone {} went from {} to {} while its heater drew power; {} of {} samples changed",
                    zone, to_text(before), to_text(after), reading.changes, reading.samples),
        thermal.part(zone), reading.text, "the sensor is stuck at a plausible value: nothing protects this zone"));
  step.measure("rise", {rise, Dimension::temperature_change},
               Limit::at_least({least.base(), Dimension::temperature_change}), "die." + zone + " rise",
               thermal.part(zone));
}

void sensor_check(StepContext& step) {
  ChipThermal& thermal = thermal_of(step);
  const std::vector<std::string> zones = zones_of(step, thermal);
  std::vector<std::string> usable;
  for (const std::string& zone : zones) {
    check_zone_valid(step, thermal, zone);
    const ZoneReading reading = thermal.read(zone);
    if (reading.valid && reading.fault.empty()) usable.push_back(zone);
  }
  if (usable.size() != zones.size()) return;  // a heater needs a valid sensor
  const Limit plausible = Limit::between(step.with("min").quantity(), step.with("max").quantity());
  std::vector<double> idle;
  for (const std::string& zone : zones) {
    const Temperature t = mean_temperature(step, thermal, zone);
    idle.push_back(t.base());
    step.measure("", t.quantity(), plausible, "die." + zone, thermal.part(zone));
  }
  const auto [low, high] = std::minmax_element(idle.begin(), idle.end());
  const std::string& odd = zones[static_cast<std::size_t>(std::distance(idle.begin(), high))];
  step.measure("spread", {*high - *low, Dimension::temperature_change},
               Limit::at_most({step.with("spread").quantity().value, Dimension::temperature_change}), "die spread",
               thermal.part(odd));
  for (const std::string& zone : zones) check_reaction(step, thermal, zone);
}

// ---- tables

ParamSpec zones_param() {
  ParamSpec zones = name_param("zones", NameKind::zone, "The zones; all when absent.");
  zones.type = ParamType::list;
  zones.element = ParamType::name;
  return zones;
}
ParamSpec chip_param() {
  return name_param("chip", NameKind::driver, "The driver of the chip; may be absent when there is one.");
}
ParamSpec level_param(const char* fallback) { return at_least(integer_param("level", "Heater level.", fallback), 1); }

Step make(const char* verb, const char* doc, std::vector<ParamSpec> params, std::vector<MeasurableSpec> measures,
          const char* example, void (*run)(StepContext&)) {
  StepSpec spec;
  spec.verb = verb;
  spec.doc = doc;
  spec.needs = "thermal";
  spec.params = std::move(params);
  spec.params.push_back(chip_param());
  spec.measures = std::move(measures);
  spec.example = example;
  return {spec, run};
}

template <class... Params>
std::vector<ParamSpec> with_settling(Params... params) {
  std::vector<ParamSpec> all = {std::move(params)...};
  for (ParamSpec& param : settle_params()) all.push_back(std::move(param));
  return all;
}

}  // namespace

std::vector<Step> thermal_steps() {
  return {
      make("thermal.soak",
           "Waits until the die's temperatures stand still: no zone moves by more than `change` within `window`.",
           with_settling(zones_param()),
           {{"", Dimension::temperature, "The hottest zone."}, {"time", Dimension::time, "How long it took."}},
           "{id: soak, do: thermal.soak, with: {change: 250 mK, window: 500 ms, within: 20 s}}", soak),
      make("thermal.resistance",
           "Thermal resistance from a zone to the coolant: a heater step, its temperature rise by its electrical "
           "power, both after settling. A value "
           "above its neighbours tells of a bad mount.",
           with_settling(required(name_param("zone", NameKind::zone, "The zone.")), level_param("8"),
                         quantity_param("level_power", Dimension::power, "Nominal power of one heater level.", "1 W")),
           {{"", Dimension::thermal_resistance, "The resistance."},
            {"rise", Dimension::temperature_change, "Temperature rise."},
            {"power", Dimension::power, "Power that was added, by the rail's telemetry."},
            {"load_line", Dimension::resistance,
             "Drop of the rail's independently sensed voltage by the current that was added."}},
           "{id: r_core, do: thermal.resistance, with: {zone: core}, limit: {max: 0.6 K/W}}", resistance),
      steps::trip_test_step(),
      make(
          "thermal.sensor_check",
          "Proves the sensors before anything relies on them: valid, plausible, alike at idle, and each must follow "
          "its own heater. A sensor that is stuck "
          "at a plausible value is found by the last.",
          {zones_param(), quantity_param("min", Dimension::temperature, "Lowest plausible temperature.", "5 degC"),
           quantity_param("max", Dimension::temperature, "Highest plausible temperature.", "90 degC"),
           quantity_param("spread", Dimension::temperature_change, "Largest difference between zones at idle.", "15 K"),
           level_param("8"), quantity_param("heat", Dimension::time, "How long the heater is on.", "300 ms"),
           quantity_param("rise", Dimension::temperature_change, "Least rise by the heater.", "500 mK")},
          {{"", Dimension::temperature, "Each zone at idle."},
           {"spread", Dimension::temperature_change, "Difference between hottest and coolest zone at idle."},
           {"rise", Dimension::temperature_change, "Each zone's rise by its heater."}},
          "{id: sensors, do: thermal.sensor_check}", sensor_check),
  };
}

}  // namespace firstlight
