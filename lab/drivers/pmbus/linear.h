#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace firstlight::pmbus {

/// LINEAR11 (PMBus 1.3 part II, 7.3): bits 15:11 a signed exponent, bits 10:0 a signed mantissa.
double decode_linear11(std::uint16_t code);
/// The code nearest to the value: the smallest exponent that holds it, so the best resolution. Nothing when the value
/// is not finite or exceeds what the format holds.
std::optional<std::uint16_t> encode_linear11(double value);

/// How a part codes its output voltage, from VOUT_MODE (PMBus 1.3 part II, 8.2).
struct VoutMode {
  enum class Format : std::uint8_t { linear, vid, direct, half } format = Format::linear;
  int exponent = 0;       // of linear: signed bits 4:0
  bool relative = false;  // bit 7 of a PMBus 1.3 part: limits are relative to VOUT_COMMAND
  std::uint8_t raw = 0;
};
VoutMode decode_vout_mode(std::uint8_t raw);
/// "0x14 (linear, 2^-12 V)".
std::string to_text(const VoutMode& mode);

/// LINEAR16: an unsigned 16-bit mantissa times 2^exponent.
double decode_linear16(std::uint16_t code, int exponent);
/// Nearest; nothing when negative, not finite or too large.
std::optional<std::uint16_t> encode_linear16(double value, int exponent);

/// DIRECT (PMBus 1.3 part II, 7.4): X = (Y * 10^-R - b) / m, Y a signed 16-bit number.
struct DirectCoefficients {
  double m = 1;  // not 0; scaled by a shunt it is no whole number
  double b = 0;
  int r = 0;
};
double decode_direct(std::uint16_t code, const DirectCoefficients& coefficients);
std::optional<std::uint16_t> encode_direct(double value, const DirectCoefficients& coefficients);

/// IEEE 754 binary16, which PMBus 1.3 allows as well.
double decode_half(std::uint16_t code);
/// Rounds to nearest even; too large a value is nothing, not infinity.
std::optional<std::uint16_t> encode_half(double value);

}  // namespace firstlight::pmbus
