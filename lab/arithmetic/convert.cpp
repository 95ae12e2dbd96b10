#include "lab/arithmetic/convert.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace firstlight::arithmetic {

namespace {

/// Doubles hold every number of every format, and everything here that is computed from one, exactly.
struct Shape {
  int fraction_bits;
  int bias;
  std::uint32_t largest;  // code of the largest finite number
  std::uint32_t nan;
  bool has_infinity;
};
constexpr std::array<Shape, kFormats.size()> kShapes = {{
    {23, 127, 0x7f7fffff, 0x7fc00000, true},
    {10, 15, 0x7bff, 0x7e00, true},
    {7, 127, 0x7f7f, 0x7fc0, true},
    {3, 7, 0x7e, 0x7f, false},
    {2, 15, 0x7b, 0x7e, true},
}};
const Shape& shape_of(Format format) { return kShapes.at(static_cast<std::size_t>(format)); }

constexpr std::uint32_t kQuiet32 = 0x00400000;

void note_nan(Flags& flags, bool is_signalling) {
  flags.nan_in = true;
  if (is_signalling) flags.invalid = true;
}

float canonical(float value, Flags& flags) { return note_nan(value, flags) ? float_of(kNan) : value; }

/// A magnitude as a multiple of the distance between the target's numbers around it.
struct Scaled {
  Scaled(double magnitude, int exponent, int fraction_bits, const Narrowing& how, std::uint32_t random)
      : quantum(std::ldexp(1.0, exponent - fraction_bits)) {
    const double exact = magnitude / quantum;
    const double below = std::floor(exact);
    const double rest = exact - below;
    bool up = false;
    if (how.rounding == Rounding::stochastic)
      up = random < static_cast<std::uint32_t>(std::floor(std::ldexp(rest, 32)));
    else
      up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0.0);
    is_exact = rest == 0.0;
    count = below + (up ? 1.0 : 0.0);
  }
  double quantum;
  double count = 0;
  bool is_exact = true;
  double value() const { return count * quantum; }
};

std::uint32_t overflowed(const Narrowing& how, const Shape& shape) {
  if (how.overflow == Overflow::saturate) return shape.largest;
  return shape.has_infinity ? shape.largest + 1 : shape.nan;
}

std::uint32_t narrow_finite(const Narrowing& how, const Shape& shape, double magnitude, std::uint32_t random,
                            Flags& flags) {
  if (magnitude == 0.0) return 0;
  const int lowest = 1 - shape.bias;
  const int exponent = std::ilogb(magnitude);
  const int held = std::max(exponent, lowest);
  const Scaled rounded(magnitude, held, shape.fraction_bits, how, random);
  // A carry out of the fraction is one into the exponent.
  const auto count = static_cast<std::uint32_t>(rounded.count);
  const std::uint32_t code = (static_cast<std::uint32_t>(held - lowest) << shape.fraction_bits) + count;
  if (code > shape.largest) {
    flags.overflow = flags.inexact = true;
    return overflowed(how, shape);
  }
  if (!rounded.is_exact) {
    flags.inexact = true;
    const Scaled unbounded(magnitude, exponent, shape.fraction_bits, how, random);
    if (unbounded.value() < std::ldexp(1.0, lowest)) flags.underflow = true;
  }
  return code;
}

}  // namespace

std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

bool note_nan(float value, Flags& flags) {
  if (!std::isnan(value)) return false;
  note_nan(flags, (bits_of(value) & kQuiet32) == 0);
  return true;
}

float widen(Format format, std::uint32_t code, Flags& flags) {
  const Shape& shape = shape_of(format);
  if (format == Format::fp32) return canonical(float_of(code), flags);
  const unsigned sign_bit = bytes_of(format) * 8 - 1;
  const bool negative = (code >> sign_bit & 1U) != 0;
  const std::uint32_t magnitude = code & ((1U << sign_bit) - 1);
  if (shape.has_infinity ? magnitude > shape.largest + 1 : magnitude > shape.largest) {
    note_nan(flags, shape.has_infinity && (magnitude >> (shape.fraction_bits - 1) & 1U) == 0);
    return float_of(kNan);
  }
  if (magnitude > shape.largest) return negative ? -INFINITY : INFINITY;
  const auto exponent = static_cast<int>(magnitude >> shape.fraction_bits);
  const std::uint32_t fraction = magnitude & ((1U << shape.fraction_bits) - 1);
  const std::uint32_t significand = exponent == 0 ? fraction : fraction | 1U << shape.fraction_bits;
  const float value =
      std::ldexp(static_cast<float>(significand), std::max(exponent, 1) - shape.bias - shape.fraction_bits);
  return negative ? -value : value;
}

std::uint32_t narrow(const Narrowing& how, float value, std::uint32_t random, Flags& flags) {
  const Shape& shape = shape_of(how.format);
  if (how.format == Format::fp32) return bits_of(canonical(value, flags));
  if (note_nan(value, flags)) return shape.nan;
  std::uint32_t code = 0;
  if (std::isinf(value)) {
    code = overflowed(how, shape);
    if (code == shape.nan) flags.invalid = true;
  } else {
    code = narrow_finite(how, shape, std::fabs(double{value}), random, flags);
  }
  const std::uint32_t sign = code == shape.nan ? 0 : bits_of(value) >> 31U;
  return code | sign << (bytes_of(how.format) * 8 - 1);
}

std::uint32_t narrow(Format format, float value) {
  Flags flags;
  return narrow({format, Rounding::nearest_even, Overflow::infinity}, value, 0, flags);
}

}  // namespace firstlight::arithmetic
