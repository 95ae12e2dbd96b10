#include "tb/golden/fp/post.h"

#include "tb/golden/fp/fma.h"

namespace tb::golden::fp {
namespace {

constexpr std::uint32_t kOne = 0x3f800000;
constexpr std::uint32_t kMinusZero = 0x80000000;

Flags operator|(const Flags& a, const Flags& b) {
  return {a.invalid || b.invalid, a.overflow || b.overflow, a.underflow || b.underflow, a.inexact || b.inexact,
          a.nan_in || b.nan_in};
}

}  // namespace

Result post(const PostSteps& steps, std::uint32_t value, Generator& generator) {
  Result now{value, {}};
  const auto take = [&now](const Result& next) { now = {next.bits, now.flags | next.flags}; };
  if (steps.scale) take(fma(now.bits, *steps.scale, kMinusZero));
  if (steps.bias) take(fma(now.bits, kOne, *steps.bias));
  if (steps.relu) {
    const Number number = take_apart(Format::kFp32, now.bits);
    if (number.negative && !number.is_nan()) now.bits = 0;
  }
  const std::uint32_t random = steps.narrowing.rounding == Rounding::kStochastic ? generator.next() : 0;
  take(narrow(steps.narrowing, now.bits, random));
  return now;
}

}  // namespace tb::golden::fp
