#include "tb/golden/fp/widen.h"

namespace tb::golden::fp {

Result widen(Format format, std::uint32_t code) {
  const FormatInfo& wide = info(Format::kFp32);
  const Number number = take_apart(format, code);
  Result result;
  if (number.is_nan()) {
    result.bits = wide.nan;
    result.flags.nan_in = true;
    result.flags.invalid = number.kind == Kind::kSignallingNan;
    return result;
  }
  const std::uint32_t sign = number.negative ? wide.sign_bit() : 0;
  if (number.kind == Kind::kInfinite) {
    result.bits = sign | wide.infinity();
    return result;
  }
  if (number.significand == 0) {
    result.bits = sign;
    return result;
  }
  // Every format's numbers are numbers of fp32: the shifts below lose nothing.
  const int top = highest_bit(number.significand);
  const int exponent = top + number.exponent;
  const auto digits = static_cast<int>(wide.fraction_bits);
  if (exponent >= wide.lowest_exponent()) {
    const std::uint32_t fraction = (number.significand << (digits - top)) & ((std::uint32_t{1} << digits) - 1);
    result.bits = sign | static_cast<std::uint32_t>(exponent + wide.bias) << digits | fraction;
  } else {
    result.bits = sign | number.significand << (number.exponent - (wide.lowest_exponent() - digits));
  }
  return result;
}

}  // namespace tb::golden::fp
