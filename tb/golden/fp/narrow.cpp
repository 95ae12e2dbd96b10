#include "tb/golden/fp/narrow.h"

#include <algorithm>

namespace tb::golden::fp {
namespace {

/// A magnitude between its neighbours: (units + fraction / 2^32 + a little when `more`) x 2^unit.
struct Between {
  std::uint32_t units = 0;
  int unit = 0;
  std::uint32_t fraction = 0;
  bool more = false;

  bool exact() const { return fraction == 0 && !more; }
};

Between neighbours(const Number& x, int unit) {
  const int cut = unit - x.exponent;
  if (cut <= 0) return {x.significand << -cut, unit, 0, false};
  // The significand has 24 bits: with 96 below the point, every cut that leaves anything at all is exact.
  constexpr int kBelow = 96;
  using Wide = unsigned __int128;
  if (cut > kBelow) return {0, unit, 0, x.significand != 0};
  const Wide scaled = Wide{x.significand} << (kBelow - cut);
  const Wide rest = scaled & ((Wide{1} << (kBelow - 32)) - 1);
  return {static_cast<std::uint32_t>(scaled >> kBelow), unit, static_cast<std::uint32_t>(scaled >> (kBelow - 32)),
          rest != 0};
}

bool goes_up(const Between& x, Rounding rounding, std::uint32_t random) {
  if (rounding == Rounding::kStochastic) return random < x.fraction;
  constexpr std::uint32_t kHalf = 0x80000000;
  if (x.fraction != kHalf || x.more) return x.fraction >= kHalf;
  return x.units % 2 != 0;
}

/// Weight of the last bit of a format for a magnitude: with the exponent's lower bound, or as if there were none.
int last_bit(const FormatInfo& f, const Number& x, bool bounded) {
  const int exponent = highest_bit(x.significand) + x.exponent;
  return (bounded ? std::max(exponent, f.lowest_exponent()) : exponent) - static_cast<int>(f.fraction_bits);
}

/// The magnitude's code; beyond the largest as the format would go on with a larger exponent.
std::uint64_t code_of(const FormatInfo& f, std::uint64_t units, int unit) {
  const auto steps = static_cast<std::uint64_t>(unit - (f.lowest_exponent() - static_cast<int>(f.fraction_bits)));
  return (steps << f.fraction_bits) + units;
}

bool is_tiny(const FormatInfo& f, const Number& x, Rounding rounding, std::uint32_t random) {
  const Between between = neighbours(x, last_bit(f, x, false));
  const std::uint64_t units = between.units + std::uint64_t{goes_up(between, rounding, random)};
  // The smallest normal number is 2^lowest; `units` are at least 2^fraction_bits.
  const int exponent = between.unit + static_cast<int>(f.fraction_bits);
  const bool carried = units >> (f.fraction_bits + 1) != 0;
  return exponent + int{carried} < f.lowest_exponent();
}

/// What stands for everything above the largest finite number.
std::uint32_t beyond(const FormatInfo& f, Overflow overflow, bool negative) {
  if (overflow == Overflow::kInfinity && !f.has_infinity) return f.nan;
  return (overflow == Overflow::kSaturate ? f.largest : f.infinity()) | (negative ? f.sign_bit() : 0);
}

Result narrow_finite(const FormatInfo& f, const Narrowing& how, const Number& x, std::uint32_t random) {
  const std::uint32_t sign = x.negative ? f.sign_bit() : 0;
  Result result;
  if (x.significand == 0) {
    result.bits = sign;
    return result;
  }
  const Between between = neighbours(x, last_bit(f, x, true));
  const std::uint64_t code =
      code_of(f, between.units, between.unit) + std::uint64_t{goes_up(between, how.rounding, random)};
  if (code > f.largest) {
    result.bits = beyond(f, how.overflow, x.negative);
    result.flags.overflow = result.flags.inexact = true;
    return result;
  }
  result.bits = sign | static_cast<std::uint32_t>(code);
  result.flags.inexact = !between.exact();
  result.flags.underflow = result.flags.inexact && is_tiny(f, x, how.rounding, random);
  return result;
}

}  // namespace

Result narrow(const Narrowing& how, std::uint32_t value, std::uint32_t random) {
  const FormatInfo& f = info(how.format);
  const Number x = take_apart(Format::kFp32, value);
  Result result;
  if (x.is_nan()) {
    result.bits = f.nan;
    result.flags.nan_in = true;
    result.flags.invalid = x.kind == Kind::kSignallingNan;
    return result;
  }
  if (how.format == Format::kFp32) {
    result.bits = value;
    return result;
  }
  if (x.kind == Kind::kInfinite) {
    result.bits = beyond(f, how.overflow, x.negative);
    result.flags.invalid = how.overflow == Overflow::kInfinity && !f.has_infinity;
    return result;
  }
  return narrow_finite(f, how, x, random);
}

std::uint32_t rounding_fraction(Format format, std::uint32_t value) {
  const Number x = take_apart(Format::kFp32, value);
  if (x.kind != Kind::kFinite || x.significand == 0) return 0;
  return neighbours(x, last_bit(info(format), x, true)).fraction;
}

}  // namespace tb::golden::fp
