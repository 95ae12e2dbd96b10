#include "tb/blocks/fp/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tb/blocks/block_bench.h"

namespace tb::blocks::fp {
namespace {

std::string told(const Result& result) {
  const auto& f = result.flags;
  return fmt::format("{:08x}{}{}{}{}{}", result.bits, f.invalid ? " invalid" : "", f.overflow ? " overflow" : "",
                     f.underflow ? " underflow" : "", f.inexact ? " inexact" : "", f.nan_in ? " nan_in" : "");
}

/// As a file's name.
std::string name_of_test() {
  std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

}  // namespace

std::uint64_t cases(unsigned share) {
  const char* text = std::getenv("FIRSTLIGHT_CASES");
  return (text == nullptr ? 4'000'000 : std::stoull(text)) / share;
}

std::string widen_line(golden::fp::Format format, std::uint32_t value) {
  return fmt::format("widen {} {:x}", golden::fp::info(format).name, value);
}

std::string narrow_line(const golden::fp::Narrowing& how, std::uint32_t value, std::uint32_t random) {
  const bool stochastic = how.rounding == Rounding::kStochastic;
  return fmt::format("narrow {} {} {} {:08x}{}", golden::fp::info(how.format).name, stochastic ? "stochastic" : "rne",
                     how.overflow == Overflow::kSaturate ? "saturate" : "infinity", value,
                     stochastic ? fmt::format(" {:08x}", random) : "");
}

std::string fma_line(const FmaOperands& operands) {
  return fmt::format("fma {:08x} {:08x} {:08x}", operands.a, operands.b, operands.c);
}

testing::AssertionResult same(const std::string& line, const Result& rtl, const Result& golden) {
  if (rtl == golden) return testing::AssertionSuccess();
  return testing::AssertionFailure() << line << "\n  rtl    " << told(rtl) << "\n  golden " << told(golden)
                                     << "\n  again: echo " << line << " | build/release/bin/tern_fp\n  all:   --seed "
                                     << seed() << " --gtest_filter=*."
                                     << testing::UnitTest::GetInstance()->current_test_info()->name();
}

FpTest::FpTest() : model(name_of_test(), seed()) {}

}  // namespace tb::blocks::fp
