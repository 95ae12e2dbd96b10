#include "tb/golden/fp/fma.h"

#include <cfenv>
#include <cmath>
#include <cstring>

namespace tb::golden::fp {
namespace {

float as_float(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::uint32_t as_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// `volatile` pins the operation between the two accesses to its flags.
Result host_fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const volatile float x = as_float(a);
  const volatile float y = as_float(b);
  const volatile float z = as_float(c);
  std::feclearexcept(FE_ALL_EXCEPT);
  const volatile float r = std::fma(x, y, z);
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);
  Result result;
  result.bits = as_bits(r);
  result.flags.invalid = (raised & FE_INVALID) != 0;
  result.flags.overflow = (raised & FE_OVERFLOW) != 0;
  result.flags.underflow = (raised & FE_UNDERFLOW) != 0;
  result.flags.inexact = (raised & FE_INEXACT) != 0;
  return result;
}

bool is_zero(const Number& x) { return x.kind == Kind::kFinite && x.significand == 0; }
bool is_infinite(const Number& x) { return x.kind == Kind::kInfinite; }

}  // namespace

Result fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const FormatInfo& f = info(Format::kFp32);
  const Number x = take_apart(Format::kFp32, a);
  const Number y = take_apart(Format::kFp32, b);
  const Number z = take_apart(Format::kFp32, c);
  Result result;
  for (const Number& operand : {x, y, z}) {
    result.flags.nan_in |= operand.is_nan();
    result.flags.invalid |= operand.kind == Kind::kSignallingNan;
  }
  const bool product_infinite = is_infinite(x) || is_infinite(y);
  const bool negative = x.negative != y.negative;
  result.flags.invalid |= product_infinite && (is_zero(x) || is_zero(y));
  if (result.flags.nan_in || result.flags.invalid) {
    result.bits = f.nan;
    return result;
  }
  if (product_infinite && is_infinite(z) && negative != z.negative) {
    result.bits = f.nan;
    result.flags.invalid = true;
    return result;
  }
  if (product_infinite || is_infinite(z)) {
    result.bits = f.infinity() | ((product_infinite ? negative : z.negative) ? f.sign_bit() : 0);
    return result;
  }
  return host_fma(a, b, c);
}

bool host_tells_tininess_after_rounding() {
  // (1 + 2^-23) x (2^-126 - 2^-149) = 2^-126 - 2^-172: below the smallest normal number, and rounded to 24 digits equal
  // to it.
  const Result result = host_fma(0x3f800001, 0x007fffff, 0);
  return result.bits == 0x00800000 && result.flags.inexact && !result.flags.underflow;
}

}  // namespace tb::golden::fp
