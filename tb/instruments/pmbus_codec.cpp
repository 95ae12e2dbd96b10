#include "tb/instruments/pmbus_codec.h"

#include <algorithm>
#include <cmath>

namespace tb::instruments::pmbus {

void Pec::add(std::uint8_t byte) {
  value_ = static_cast<std::uint8_t>(value_ ^ byte);
  for (int bit = 0; bit < 8; ++bit) {
    const bool carry = (value_ & 0x80U) != 0;
    value_ = static_cast<std::uint8_t>(value_ << 1U);
    if (carry) value_ = static_cast<std::uint8_t>(value_ ^ 0x07U);
  }
}

double decode_linear11(std::uint16_t word) {
  int exponent = word >> 11U;
  if (exponent > 15) exponent -= 32;
  int mantissa = word & 0x7ff;
  if (mantissa > 1023) mantissa -= 2048;
  return std::ldexp(mantissa, exponent);
}

std::uint16_t encode_linear11(double value) {
  for (int exponent = -16; exponent <= 15; ++exponent) {
    const double mantissa = std::round(std::ldexp(value, -exponent));
    if (mantissa < -1024 || mantissa > 1023) continue;
    const auto bits = static_cast<unsigned>(static_cast<int>(mantissa)) & 0x7ffU;
    return static_cast<std::uint16_t>((static_cast<unsigned>(exponent) & 0x1fU) << 11U | bits);
  }
  return value > 0 ? 0x7bff : 0x7c00;
}

double decode_linear16(std::uint16_t word, int exponent) { return std::ldexp(word, exponent); }

std::uint16_t encode_linear16(double value, int exponent) {
  return static_cast<std::uint16_t>(std::clamp(std::round(std::ldexp(value, -exponent)), 0.0, 65535.0));
}

}  // namespace tb::instruments::pmbus
