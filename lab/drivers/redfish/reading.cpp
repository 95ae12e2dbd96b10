#include "lab/drivers/redfish/reading.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "lab/drivers/points/point_device.h"
#include "lab/drivers/redfish/service.h"

namespace firstlight::redfish {

namespace {

struct Unit {
  std::string_view text;
  UnitScale scale;
};

/// ReadingUnits: UCUM codes in Sensor, words in the older Thermal.
const std::array<Unit, 16>& units() {
  static const std::array<Unit, 16> table = {{{"Cel", {Dimension::temperature, 1, 0}},
                                              {"V", {Dimension::voltage, 1, 0}},
                                              {"mV", {Dimension::voltage, 1e-3, 0}},
                                              {"A", {Dimension::current, 1, 0}},
                                              {"mA", {Dimension::current, 1e-3, 0}},
                                              {"W", {Dimension::power, 1, 0}},
                                              {"kW", {Dimension::power, 1e3, 0}},
                                              {"L/min", {Dimension::flow, 1, 0}},
                                              {"L/s", {Dimension::flow, 60, 0}},
                                              {"Pa", {Dimension::pressure, 1, 0}},
                                              {"kPa", {Dimension::pressure, 1e3, 0}},
                                              {"Hz", {Dimension::frequency, 1, 0}},
                                              {"s", {Dimension::time, 1, 0}},
                                              {"%", {Dimension::ratio, 0.01, 0}},
                                              {"Percent", {Dimension::ratio, 0.01, 0}},
                                              {"K", {Dimension::temperature, 1, -273.15}}}};
  return table;
}

/// Redfish names properties by their unit.
const std::array<Unit, 8>& suffixes() {
  static const std::array<Unit, 8> table = {{{"Celsius", {Dimension::temperature, 1, 0}},
                                             {"Watts", {Dimension::power, 1, 0}},
                                             {"Volts", {Dimension::voltage, 1, 0}},
                                             {"Voltage", {Dimension::voltage, 1, 0}},
                                             {"Amps", {Dimension::current, 1, 0}},
                                             {"LitersPerMinute", {Dimension::flow, 1, 0}},
                                             {"kPa", {Dimension::pressure, 1e3, 0}},
                                             {"Percent", {Dimension::ratio, 0.01, 0}}}};
  return table;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Another unit (turns a minute, say) is a plain number.
UnitScale unit_of(const std::string& reading_units, const std::string& property) {
  for (const Unit& unit : units())
    if (unit.text == reading_units) return unit.scale;
  if (!reading_units.empty()) return {};
  for (const Unit& unit : suffixes())
    if (ends_with(property, unit.text)) return unit.scale;
  return {};
}

/// Why the part is not in service; empty when it is.
std::string out_of_service(const nlohmann::json& object) {
  const auto status = object.find("Status");
  if (status == object.end() || !status->is_object()) return {};
  const std::string state = text_of(*status, "State");
  return state.empty() || state == "Enabled" ? std::string() : fmt::format("its Status.State is {}", state);
}

/// The member that holds the number: "Reading", or of the older resources "ReadingCelsius" and its like.
std::string number_member(const nlohmann::json& object) {
  for (const char* name :
       {"Reading", "ReadingCelsius", "ReadingVolts", "PowerConsumedWatts", "PowerInputWatts", "LineInputVoltage"})
    if (object.contains(name)) return name;
  return {};
}

std::optional<double> number(const nlohmann::json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_number() ? std::optional<double>(found->get<double>()) : std::nullopt;
}

Reading in_unit(double value, const UnitScale& unit) { return {unit.to_base(value), ""}; }

}  // namespace

Reading read_sensor(const nlohmann::json& object, const std::string& property) {
  if (object.is_number()) return in_unit(object.get<double>(), unit_of("", property));
  if (object.is_null()) return {std::nullopt, fmt::format("{} is null: there is no reading now", property)};
  if (!object.is_object()) return {std::nullopt, fmt::format("{} is neither a number nor a sensor", property)};
  const std::string why = out_of_service(object);
  if (!why.empty()) return {std::nullopt, why};
  const std::string member = number_member(object);
  if (member.empty()) return {std::nullopt, "it has no Reading"};
  const auto value = number(object, member.c_str());
  if (!value)
    return {std::nullopt, fmt::format("its {} is {}: there is no reading now", member, object[member].dump())};
  const auto low = number(object, "ReadingRangeMin");
  const auto high = number(object, "ReadingRangeMax");
  if ((low && *value < *low) || (high && *value > *high))
    return {std::nullopt, fmt::format("its {} of {} is out of what the sensor can read", member, *value)};
  const std::string units = text_of(object, "ReadingUnits");
  return in_unit(*value, unit_of(units, member == "Reading" ? property : member));
}

Reading read_leak_detector(const nlohmann::json& object) {
  const std::string why = out_of_service(object);
  if (!why.empty()) return {std::nullopt, why + ": it detects nothing"};
  const std::string state = text_of(object, "DetectorState");
  if (state == "OK") return {Quantity{0, Dimension::none}, ""};
  if (state == "Warning" || state == "Critical") return {Quantity{1, Dimension::none}, ""};
  return {std::nullopt, state.empty() ? "it has no DetectorState" : fmt::format("its DetectorState is {}", state)};
}

}  // namespace firstlight::redfish
