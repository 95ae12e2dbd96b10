#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace firstlight {

/// What a number measures. Each dimension has one base unit in which values are kept.
enum class Dimension : std::uint8_t {
  none,                // a plain number: a count, a register value
  voltage,             // V
  current,             // A
  power,               // W
  temperature,         // degC
  temperature_change,  // K (a difference or a hysteresis)
  frequency,           // Hz
  time,                // s
  thermal_resistance,  // K/W
  flow,                // L/min
  ratio,               // 1 (%, ppm)
  voltage_slew,        // V/s
  data,                // B
  data_rate,           // B/s
  bit_error_ratio,     // 1, written as a plain number such as 1e-9
  resistance,          // Ohm
  pressure,            // Pa
};

/// The dimension's name as it stands in YAML schemas and messages ("voltage").
std::string_view name_of(Dimension dimension);
/// The unit that a user most naturally writes for it ("mV"); empty for plain numbers.
std::string_view usual_unit(Dimension dimension);
/// The base unit in which values are kept and recorded ("V"); empty for plain numbers.
std::string_view base_unit(Dimension dimension);
/// Every unit of a dimension that `parse_quantity` takes, for messages ("uV, mV, V, kV").
std::vector<std::string_view> units_of(Dimension dimension);

/// A value with its dimension, for places where the dimension is known only at run time (YAML, measurements, records).
struct Quantity {
  double value = 0;  // in the base unit
  Dimension dimension = Dimension::none;

  friend bool operator==(const Quantity& a, const Quantity& b) {
    return a.value == b.value && a.dimension == b.dimension;
  }
};

/// A value whose dimension the compiler knows.
template <Dimension D>
class Physical {
 public:
  static constexpr Dimension dimension = D;

  constexpr Physical() = default;
  constexpr explicit Physical(double base) : base_(base) {}
  /// Throws std::invalid_argument when the dimension is another one.
  explicit Physical(const Quantity& quantity);

  constexpr double base() const { return base_; }
  Quantity quantity() const { return {base_, D}; }

  friend constexpr Physical operator+(Physical a, Physical b) { return Physical(a.base_ + b.base_); }
  friend constexpr Physical operator-(Physical a, Physical b) { return Physical(a.base_ - b.base_); }
  friend constexpr Physical operator-(Physical a) { return Physical(-a.base_); }
  friend constexpr Physical operator*(Physical a, double b) { return Physical(a.base_ * b); }
  friend constexpr Physical operator*(double a, Physical b) { return Physical(a * b.base_); }
  friend constexpr Physical operator/(Physical a, double b) { return Physical(a.base_ / b); }
  friend constexpr double operator/(Physical a, Physical b) { return a.base_ / b.base_; }
  friend constexpr bool operator==(Physical a, Physical b) { return a.base_ == b.base_; }
  friend constexpr bool operator!=(Physical a, Physical b) { return a.base_ != b.base_; }
  friend constexpr bool operator<(Physical a, Physical b) { return a.base_ < b.base_; }
  friend constexpr bool operator<=(Physical a, Physical b) { return a.base_ <= b.base_; }
  friend constexpr bool operator>(Physical a, Physical b) { return a.base_ > b.base_; }
  friend constexpr bool operator>=(Physical a, Physical b) { return a.base_ >= b.base_; }

 private:
  double base_ = 0;
};

[[noreturn]] void throw_dimension_mismatch(Dimension expected, Dimension found);

template <Dimension D>
Physical<D>::Physical(const Quantity& quantity) : base_(quantity.value) {
  if (quantity.dimension != D) throw_dimension_mismatch(D, quantity.dimension);
}

using Voltage = Physical<Dimension::voltage>;
using Current = Physical<Dimension::current>;
using Power = Physical<Dimension::power>;
using Temperature = Physical<Dimension::temperature>;
using TemperatureChange = Physical<Dimension::temperature_change>;
using Frequency = Physical<Dimension::frequency>;
using ThermalResistance = Physical<Dimension::thermal_resistance>;
using Flow = Physical<Dimension::flow>;
using Ratio = Physical<Dimension::ratio>;
using VoltageSlew = Physical<Dimension::voltage_slew>;
using DataSize = Physical<Dimension::data>;
using DataRate = Physical<Dimension::data_rate>;

constexpr Power operator*(Voltage v, Current i) { return Power(v.base() * i.base()); }
constexpr Power operator*(Current i, Voltage v) { return Power(v.base() * i.base()); }

namespace literals {
constexpr Voltage operator""_V(long double v) { return Voltage(static_cast<double>(v)); }
constexpr Voltage operator""_V(unsigned long long v) { return Voltage(static_cast<double>(v)); }
constexpr Voltage operator""_mV(unsigned long long v) { return Voltage(static_cast<double>(v) * 1e-3); }
constexpr Current operator""_A(long double v) { return Current(static_cast<double>(v)); }
constexpr Current operator""_A(unsigned long long v) { return Current(static_cast<double>(v)); }
constexpr Temperature operator""_degC(long double v) { return Temperature(static_cast<double>(v)); }
constexpr Temperature operator""_degC(unsigned long long v) { return Temperature(static_cast<double>(v)); }
constexpr Frequency operator""_MHz(unsigned long long v) { return Frequency(static_cast<double>(v) * 1e6); }
}  // namespace literals

/// What is wrong with a text that should have been a quantity, in words for a message.
struct QuantityError {
  enum class Kind : std::uint8_t {
    not_a_number,
    missing_unit,
    unknown_unit,
    wrong_dimension,
    out_of_range
  } kind = Kind::not_a_number;
  std::string message;     // "\"850 mw\": unknown unit \"mw\""
  std::string suggestion;  // "850 mV", or empty
};

/// Reads "850 mV", "3%", "1e-9", "0x10", "64 KiB". A dimension other than none needs a unit. Never depends on the
/// locale.
/// @param expected the dimension that the place calls for
/// @return the value, or nothing, with `error` filled when it is not null
std::optional<Quantity> parse_quantity(std::string_view text, Dimension expected, QuantityError* error = nullptr);
/// The same where any dimension will do; a text without a unit has dimension none.
std::optional<Quantity> parse_any_quantity(std::string_view text, QuantityError* error = nullptr);

/// "850 mV", "1.21 kW", "3.2 %": engineering prefix, `digits` significant digits.
std::string to_text(const Quantity& quantity, int digits = 4);
template <Dimension D>
std::string to_text(Physical<D> value, int digits = 4) {
  return to_text(value.quantity(), digits);
}

}  // namespace firstlight
