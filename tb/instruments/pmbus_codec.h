#pragma once

#include <cstdint>

namespace tb::instruments::pmbus {

/// SMBus packet error code: CRC-8 with polynomial x^8 + x^2 + x + 1, initial value 0 (SMBus 3.2, 5.4).
class Pec {
 public:
  void clear() { value_ = 0; }
  void add(std::uint8_t byte);
  std::uint8_t value() const { return value_; }

 private:
  std::uint8_t value_ = 0;
};

/// LINEAR11: five bits of exponent and eleven of mantissa, both two's complement (PMBus 1.3 part II, 7.3).
double decode_linear11(std::uint16_t word);
/// The nearest value with the finest exponent that holds it; saturates at the ends of the format.
std::uint16_t encode_linear11(double value);

/// ULINEAR16: an unsigned mantissa whose exponent is that of VOUT_MODE (PMBus 1.3 part II, 8.3.1).
double decode_linear16(std::uint16_t word, int exponent);
/// Rounds to the nearest; saturates at 0 and 0xffff.
std::uint16_t encode_linear16(double value, int exponent);

}  // namespace tb::instruments::pmbus
