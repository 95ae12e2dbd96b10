#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lab/drivers/pmbus/command.h"
#include "lab/drivers/pmbus/linear.h"
#include "lab/drivers/pmbus/vid.h"

namespace firstlight::pmbus {

/// What a command's number means: commands of one class are coded alike in a part.
enum class NumberClass : std::uint8_t {
  none,  // no number: bits, text
  voltage_in,
  voltage_out,
  voltage_rate,  // mV/us
  current_in,
  current_out,
  power,
  temperature,
  time,  // ms
};
NumberClass class_of(Command command);
/// "voltage_in"; the other way round, nothing for what is no class.
std::string name_of(NumberClass number_class);
std::optional<NumberClass> number_class_of(const std::string& name);

/// How a part codes a number in a word.
struct NumberFormat {
  enum class Kind : std::uint8_t { linear11, linear16, direct, half, vid } kind = Kind::linear11;
  int exponent = 0;               // of linear16
  DirectCoefficients direct;      // of direct
  const VidTable* vid = nullptr;  // of vid
  /// m is for a shunt of 1 mOhm, and grows with it.
  bool per_milliohm = false;
  /// m, b and R come from the part itself, by COEFFICIENTS.
  bool ask_part = false;
};
/// "direct m=1 b=0 R=3".
std::string to_text(const NumberFormat& format);

/// Nothing for a code that is no number (a VID outside of its table, a half float that is NaN or infinite).
std::optional<double> decode(std::uint16_t code, const NumberFormat& format);
/// The nearest code; nothing when the format cannot hold the value.
std::optional<std::uint16_t> encode(double value, const NumberFormat& format);

}  // namespace firstlight::pmbus
