#include "tb/golden/fp/narrow.h"

#include <fmt/format.h>

#include <array>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/fp/operands.h"
#include "tb/blocks/fp/trial.h"
#include "tb/golden/fp/generator.h"
#include "tb/golden/fp/widen.h"

namespace tb::blocks::fp {
namespace {

using golden::fp::Format;
using golden::fp::Narrowing;

constexpr std::array kNarrow{Format::kFp16, Format::kBf16, Format::kFp8E4m3, Format::kFp8E5m2};
constexpr std::array kOverflows{Overflow::kSaturate, Overflow::kInfinity};

class NarrowTest : public FpTest {
 protected:
  void expect_narrowed(const Narrowing& how, std::uint32_t value, std::uint32_t random) {
    const Result rtl = model.narrow(static_cast<unsigned>(how.format), how.rounding, how.overflow, value, random);
    const Result golden = golden::fp::narrow(how, value, random);
    if (!(rtl == golden)) FAIL() << same(narrow_line(how, value, random), rtl, golden).message();
  }

  /// Both roundings and overflows; stochastic rounding where it turns, and with the generator's next numbers.
  void expect_all(Format format, std::uint32_t value) {
    const std::uint32_t f = golden::fp::rounding_fraction(format, value);
    // Where the tininess of the number just below the smallest normal one turns.
    const std::uint32_t finer = f << 1U;
    for (const Overflow overflow : kOverflows) {
      expect_narrowed({format, Rounding::kNearestEven, overflow}, value, generator_.next());
      for (const std::uint32_t r : {std::uint32_t{0}, f - 1, f, ~std::uint32_t{0}, finer - 1, finer})
        expect_narrowed({format, Rounding::kStochastic, overflow}, value, r);
      expect_narrowed({format, Rounding::kStochastic, overflow}, value, generator_.next());
      if (HasFatalFailure()) return;
    }
  }

  golden::fp::Generator generator_{static_cast<std::uint32_t>(seed())};
};

TEST_F(NarrowTest, EveryValueOfTheNarrowFormatsToEveryFormat) {
  for (const Format from : kNarrow)
    for (const Format to : golden::fp::kFormats)
      for (std::uint32_t code = 0; code < 1U << golden::fp::info(from).bits; ++code) {
        expect_all(to, golden::fp::widen(from, code).bits);
        if (HasFatalFailure()) return;
      }
}

/// Widening gives one NaN only; here are the others.
TEST_F(NarrowTest, TheLastBinadesAndNan) {
  for (const Format to : golden::fp::kFormats)
    for (std::uint32_t code = 0x7f00; code < 0x8000; ++code)
      for (const std::uint32_t sign : {0U, 0x80000000U}) {
        expect_all(to, sign | code << 16 | 1U);
        if (HasFatalFailure()) return;
      }
}

TEST_F(NarrowTest, AroundTheCornersOfTheTarget) {
  Dice dice(seed());
  Operands operands(dice);
  for (std::uint64_t i = 0; i < cases(40); ++i)
    for (const Format to : golden::fp::kFormats) {
      expect_all(to, operands.near(to));
      if (HasFatalFailure()) return;
    }
}

TEST_F(NarrowTest, ToNoFormatIsInvalid) {
  Dice dice(seed());
  for (unsigned format = 5; format < 8; ++format)
    for (int i = 0; i < 1000; ++i) {
      const Result result = model.narrow(format, Rounding::kNearestEven, Overflow::kSaturate, dice.word(), dice.word());
      ASSERT_EQ(result.bits, 0x7fc00000U);
      ASSERT_EQ(result.flags.bits(), 1U);
    }
}

}  // namespace
}  // namespace tb::blocks::fp
