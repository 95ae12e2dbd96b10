#include "lab/core/quantity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "lab/core/suggest.h"

namespace firstlight {
namespace {

struct Unit {
  std::string_view name;
  Dimension dimension;
  double scale;
  bool shown = true;  // used when printing
};

// In ascending order of scale within a dimension, so that printing picks the last one that fits.
constexpr std::array kUnits = {
    Unit{"uV", Dimension::voltage, 1e-6},
    Unit{"mV", Dimension::voltage, 1e-3},
    Unit{"V", Dimension::voltage, 1},
    Unit{"kV", Dimension::voltage, 1e3},
    Unit{"uA", Dimension::current, 1e-6},
    Unit{"mA", Dimension::current, 1e-3},
    Unit{"A", Dimension::current, 1},
    Unit{"uW", Dimension::power, 1e-6},
    Unit{"mW", Dimension::power, 1e-3},
    Unit{"W", Dimension::power, 1},
    Unit{"kW", Dimension::power, 1e3},
    Unit{"degC", Dimension::temperature, 1},
    Unit{"mK", Dimension::temperature_change, 1e-3, false},
    Unit{"K", Dimension::temperature_change, 1},
    Unit{"Hz", Dimension::frequency, 1},
    Unit{"kHz", Dimension::frequency, 1e3},
    Unit{"MHz", Dimension::frequency, 1e6},
    Unit{"GHz", Dimension::frequency, 1e9},
    Unit{"ps", Dimension::time, 1e-12},
    Unit{"ns", Dimension::time, 1e-9},
    Unit{"us", Dimension::time, 1e-6},
    Unit{"ms", Dimension::time, 1e-3},
    Unit{"s", Dimension::time, 1},
    Unit{"min", Dimension::time, 60, false},
    Unit{"h", Dimension::time, 3600, false},
    Unit{"mK/W", Dimension::thermal_resistance, 1e-3},
    Unit{"K/W", Dimension::thermal_resistance, 1},
    Unit{"mL/min", Dimension::flow, 1e-3},
    Unit{"L/min", Dimension::flow, 1},
    Unit{"ppm", Dimension::ratio, 1e-6, false},
    Unit{"%", Dimension::ratio, 1e-2},
    Unit{"V/s", Dimension::voltage_slew, 1},
    Unit{"mV/us", Dimension::voltage_slew, 1e3},
    Unit{"mV/ms", Dimension::voltage_slew, 1, false},
    Unit{"V/ms", Dimension::voltage_slew, 1e3, false},
    Unit{"V/us", Dimension::voltage_slew, 1e6, false},
    Unit{"B", Dimension::data, 1},
    Unit{"KiB", Dimension::data, 1024},
    Unit{"MiB", Dimension::data, 1024.0 * 1024},
    Unit{"GiB", Dimension::data, 1024.0 * 1024 * 1024},
    Unit{"B/s", Dimension::data_rate, 1},
    Unit{"kB/s", Dimension::data_rate, 1e3},
    Unit{"MB/s", Dimension::data_rate, 1e6},
    Unit{"GB/s", Dimension::data_rate, 1e9},
    Unit{"uOhm", Dimension::resistance, 1e-6},
    Unit{"mOhm", Dimension::resistance, 1e-3},
    Unit{"Ohm", Dimension::resistance, 1},
    Unit{"kOhm", Dimension::resistance, 1e3},
    Unit{"Pa", Dimension::pressure, 1},
    Unit{"kPa", Dimension::pressure, 1e3},
    Unit{"bar", Dimension::pressure, 1e5, false},
};

bool is_plain(Dimension dimension) { return dimension == Dimension::none || dimension == Dimension::bit_error_ratio; }

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits)
    if (unit.name == name) return &unit;
  return nullptr;
}

void fail(QuantityError* error, QuantityError::Kind kind, std::string message, std::string suggestion = {}) {
  if (error != nullptr) *error = {kind, std::move(message), std::move(suggestion)};
}

struct Split {
  double number = 0;
  std::string_view unit;
};

std::optional<Split> split(std::string_view text, QuantityError* error) {
  const std::string_view trimmed = trim(text);
  std::string_view digits = trimmed;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  Split out;
  const char* end = digits.data() + digits.size();
  std::from_chars_result result{};
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
    std::uint64_t integer = 0;
    result = std::from_chars(digits.data() + 2, end, integer, 16);
    out.number = static_cast<double>(integer);
  } else {
    result = std::from_chars(digits.data(), end, out.number);
  }
  if (result.ec == std::errc::result_out_of_range) {
    fail(error, QuantityError::Kind::out_of_range, fmt::format("\"{}\": the number is out of range", text));
    return std::nullopt;
  }
  if (result.ec != std::errc() || !std::isfinite(out.number)) {
    fail(error, QuantityError::Kind::not_a_number, fmt::format("\"{}\" is not a number", text));
    return std::nullopt;
  }
  out.unit = trim(std::string_view(result.ptr, static_cast<std::size_t>(end - result.ptr)));
  return out;
}

std::optional<Quantity> scaled(const Split& parts, const Unit& unit, std::string_view text, QuantityError* error) {
  const double value = parts.number * unit.scale;
  if (std::isfinite(value)) return Quantity{value, unit.dimension};
  fail(error, QuantityError::Kind::out_of_range, fmt::format("\"{}\": the number is out of range", text));
  return std::nullopt;
}

std::string nearest_unit(std::string_view unit, std::optional<Dimension> dimension) {
  std::vector<std::string> names;
  for (const Unit& known : kUnits)
    if (!dimension || known.dimension == *dimension) names.emplace_back(known.name);
  return nearest_name(unit, names);
}

/// The bare number with the unit that it was most probably meant in: people write 0.85 for volts, 850 for millivolts,
/// and sizes in bytes. Empty where a guess would be a danger: 12 is as likely volts as millivolts.
std::string with_probable_unit(std::string_view text, Dimension dimension, double number) {
  constexpr double kSurelyMillivolts = 60;
  const bool small = std::abs(number) < 1 && !base_unit(dimension).empty();
  if (dimension == Dimension::voltage && !small && std::abs(number) < kSurelyMillivolts) return {};
  const bool base = dimension == Dimension::data || small;
  return fmt::format("{} {}", trim(text), base ? base_unit(dimension) : usual_unit(dimension));
}

std::string number_of(std::string_view text, std::string_view unit) {
  const std::string_view trimmed = trim(text);
  return std::string(trim(trimmed.substr(0, trimmed.size() - unit.size())));
}

std::string joined_units(Dimension dimension) { return fmt::format("{}", fmt::join(units_of(dimension), ", ")); }

}  // namespace

std::string_view name_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::none:
      return "number";
    case Dimension::voltage:
      return "voltage";
    case Dimension::current:
      return "current";
    case Dimension::power:
      return "power";
    case Dimension::temperature:
      return "temperature";
    case Dimension::temperature_change:
      return "temperature change";
    case Dimension::frequency:
      return "frequency";
    case Dimension::time:
      return "time";
    case Dimension::thermal_resistance:
      return "thermal resistance";
    case Dimension::flow:
      return "flow";
    case Dimension::ratio:
      return "ratio";
    case Dimension::voltage_slew:
      return "voltage slew";
    case Dimension::data:
      return "data size";
    case Dimension::data_rate:
      return "data rate";
    case Dimension::bit_error_ratio:
      return "bit error ratio";
    case Dimension::resistance:
      return "resistance";
    case Dimension::pressure:
      return "pressure";
  }
  return "number";
}

std::string_view usual_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::voltage:
      return "mV";
    case Dimension::frequency:
      return "MHz";
    case Dimension::time:
      return "ms";
    case Dimension::ratio:
      return "%";
    case Dimension::voltage_slew:
      return "mV/us";
    case Dimension::data:
      return "KiB";
    default:
      return base_unit(dimension);
  }
}

std::string_view base_unit(Dimension dimension) {
  if (is_plain(dimension) || dimension == Dimension::ratio) return "";
  for (const Unit& unit : kUnits)
    if (unit.dimension == dimension && unit.scale == 1) return unit.name;
  return "";
}

std::vector<std::string_view> units_of(Dimension dimension) {
  std::vector<std::string_view> names;
  for (const Unit& unit : kUnits)
    if (unit.dimension == dimension) names.push_back(unit.name);
  return names;
}

void throw_dimension_mismatch(Dimension expected, Dimension found) {
  throw std::invalid_argument(fmt::format("expected a {}, found a {}", name_of(expected), name_of(found)));
}

std::optional<Quantity> parse_any_quantity(std::string_view text, QuantityError* error) {
  const auto parts = split(text, error);
  if (!parts) return std::nullopt;
  if (parts->unit.empty()) return Quantity{parts->number, Dimension::none};
  if (const Unit* unit = find_unit(parts->unit)) return scaled(*parts, *unit, text, error);
  const std::string near = nearest_unit(parts->unit, std::nullopt);
  fail(error, QuantityError::Kind::unknown_unit, fmt::format("\"{}\": unknown unit \"{}\"", text, parts->unit),
       near.empty() ? "" : fmt::format("{} {}", number_of(text, parts->unit), near));
  return std::nullopt;
}

std::optional<Quantity> parse_quantity(std::string_view text, Dimension expected, QuantityError* error) {
  const auto parts = split(text, error);
  if (!parts) return std::nullopt;
  if (parts->unit.empty()) {
    if (is_plain(expected)) return Quantity{parts->number, expected};
    fail(error, QuantityError::Kind::missing_unit,
         fmt::format("\"{}\" has no unit: expected a {} ({})", text, name_of(expected), joined_units(expected)),
         with_probable_unit(text, expected, parts->number));
    return std::nullopt;
  }
  const Unit* unit = find_unit(parts->unit);
  if (unit != nullptr && unit->dimension == expected) return scaled(*parts, *unit, text, error);
  const std::string near = is_plain(expected) ? "" : nearest_unit(parts->unit, expected);
  std::string suggestion = near.empty() ? std::string() : fmt::format("{} {}", number_of(text, parts->unit), near);
  if (is_plain(expected)) {
    fail(error, QuantityError::Kind::wrong_dimension,
         fmt::format("\"{}\": expected a plain number, found the unit \"{}\"", text, parts->unit));
  } else if (unit == nullptr) {
    fail(error, QuantityError::Kind::unknown_unit,
         fmt::format("\"{}\": unknown unit \"{}\"; a {} is written in {}", text, parts->unit, name_of(expected),
                     joined_units(expected)),
         std::move(suggestion));
  } else {
    // One letter for another is no slip of the finger: W is not A.
    if (parts->unit.size() == 1) suggestion.clear();
    fail(error, QuantityError::Kind::wrong_dimension,
         fmt::format("\"{}\" is a {}; expected a {} ({})", text, name_of(unit->dimension), name_of(expected),
                     joined_units(expected)),
         std::move(suggestion));
  }
  return std::nullopt;
}

std::string to_text(const Quantity& quantity, int digits) {
  if (is_plain(quantity.dimension)) return fmt::format("{:.{}g}", quantity.value, std::max(digits, 6));
  const Unit* best = nullptr;
  const double magnitude = std::abs(quantity.value);
  for (const Unit& unit : kUnits) {
    if (unit.dimension != quantity.dimension || !unit.shown) continue;
    // A value that rounds up to the next unit is shown in it: 0.99999 V at 4 digits is 1 V, not 1000 mV.
    if (best == nullptr || magnitude >= unit.scale * (1 - 0.5 * std::pow(10, -digits))) best = &unit;
    if (magnitude == 0 && unit.scale == 1) best = &unit;
  }
  return fmt::format("{:.{}g} {}", quantity.value / best->scale, digits, best->name);
}

}  // namespace firstlight
