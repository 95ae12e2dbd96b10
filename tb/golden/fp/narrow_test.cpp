#include "tb/golden/fp/narrow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tb/golden/fp/widen.h"

namespace tb::golden::fp {
namespace {

std::uint32_t bits_of(double value) {
  const auto narrow = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

double double_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

Result nearest(Format format, double value, Overflow overflow = Overflow::kSaturate) {
  return narrow({format, Rounding::kNearestEven, overflow}, bits_of(value), 0);
}

TEST(GoldenNarrow, TiesGoToTheEvenNeighbour) {
  EXPECT_EQ(nearest(Format::kFp16, 2049).bits, 0x6800U);  // 2048
  EXPECT_EQ(nearest(Format::kFp16, 2051).bits, 0x6802U);  // 2052
  EXPECT_EQ(nearest(Format::kBf16, 257).bits, 0x4380U);
  EXPECT_EQ(nearest(Format::kBf16, 259).bits, 0x4382U);
  EXPECT_EQ(nearest(Format::kFp8E4m3, 17).bits, 0x58U);  // 16
  EXPECT_EQ(nearest(Format::kFp8E4m3, 19).bits, 0x5aU);  // 20
  EXPECT_EQ(nearest(Format::kFp8E5m2, 9).bits, 0x48U);   // 8
}

TEST(GoldenNarrow, LimitsOfTheFormats) {
  EXPECT_EQ(nearest(Format::kFp16, 65519).bits, 0x7bffU);
  EXPECT_FALSE(nearest(Format::kFp16, 65519).flags.overflow);
  EXPECT_EQ(nearest(Format::kFp16, 65520, Overflow::kInfinity).bits, 0x7c00U);
  EXPECT_TRUE(nearest(Format::kFp16, 65520).flags.overflow);
  EXPECT_EQ(nearest(Format::kFp8E4m3, 464, Overflow::kInfinity).bits, 0x7eU);  // the tie goes to 448
  EXPECT_EQ(nearest(Format::kFp8E4m3, -464.5, Overflow::kInfinity).bits, 0x7fU);
  EXPECT_EQ(nearest(Format::kFp8E4m3, -464.5).bits, 0xfeU);
  EXPECT_EQ(nearest(Format::kFp8E5m2, 61439).bits, 0x7bU);
  EXPECT_EQ(nearest(Format::kFp8E5m2, -61440, Overflow::kInfinity).bits, 0xfcU);
}

TEST(GoldenNarrow, InfinityAndNan) {
  EXPECT_EQ(narrow({Format::kFp8E4m3, Rounding::kNearestEven, Overflow::kInfinity}, 0xff800000, 0).bits, 0x7fU);
  EXPECT_EQ(narrow({Format::kFp8E4m3, Rounding::kNearestEven, Overflow::kInfinity}, 0xff800000, 0).flags.bits(), 1U);
  EXPECT_EQ(narrow({Format::kFp8E4m3, Rounding::kNearestEven, Overflow::kSaturate}, 0xff800000, 0).bits, 0xfeU);
  EXPECT_EQ(narrow({Format::kFp16, Rounding::kNearestEven, Overflow::kSaturate}, 0x7f800000, 0).bits, 0x7bffU);
  EXPECT_EQ(narrow({Format::kFp32, Rounding::kNearestEven, Overflow::kSaturate}, 0xff800000, 0).bits, 0xff800000U);
  EXPECT_EQ(narrow({Format::kBf16, Rounding::kNearestEven, Overflow::kSaturate}, 0xffbfffff, 0).bits, 0x7fc0U);
  EXPECT_EQ(narrow({Format::kBf16, Rounding::kNearestEven, Overflow::kSaturate}, 0xffbfffff, 0).flags.bits(), 17U);
}

TEST(GoldenNarrow, TininessIsToldAfterRounding) {
  const double normal = std::ldexp(1.0, -14);
  // A quarter of the last subnormal digit below the smallest normal number is where 11 digits round to it.
  const double edge = normal - std::ldexp(1.0, -26);
  EXPECT_EQ(nearest(Format::kFp16, edge).bits, 0x0400U);
  EXPECT_EQ(nearest(Format::kFp16, edge).flags.bits(), 8U);  // inexact, not tiny
  const double below = edge - std::ldexp(1.0, -38);
  EXPECT_EQ(nearest(Format::kFp16, below).bits, 0x0400U);
  EXPECT_EQ(nearest(Format::kFp16, below).flags.bits(), 12U);
  EXPECT_EQ(nearest(Format::kFp16, std::ldexp(1.0, -24)).flags.bits(), 0U);  // tiny, but exact
}

/// The specification's words, by brute force: the neighbours come from the list of all numbers of the format, in
/// doubles, which hold every difference exactly.
class Neighbours : public testing::TestWithParam<Format> {
 protected:
  Neighbours() {
    const FormatInfo& f = info(GetParam());
    for (std::uint32_t code = 0; code <= f.largest; ++code) numbers_.push_back(double_of(widen(GetParam(), code).bits));
    numbers_.push_back(2 * numbers_[f.largest] - numbers_[f.largest - 1]);
  }

  void expect_right(std::uint32_t value, std::uint32_t random) {
    const FormatInfo& f = info(GetParam());
    const double x = std::fabs(double_of(value));
    if (x >= numbers_.back()) return;
    const auto after = std::upper_bound(numbers_.begin(), numbers_.end(), x);
    const auto low = static_cast<std::uint32_t>(after - numbers_.begin() - 1);
    const double fraction = (x - numbers_[low]) / (*after - numbers_[low]);
    const auto f32 = static_cast<std::uint32_t>(std::floor(std::ldexp(fraction, 32)));
    ASSERT_EQ(rounding_fraction(GetParam(), value), f32) << std::hex << value;
    const std::uint32_t sign = (value >> 31) != 0 ? f.sign_bit() : 0;
    const std::uint32_t near = low + std::uint32_t{fraction > 0.5 || (fraction == 0.5 && low % 2 != 0)};
    const std::uint32_t chance = low + std::uint32_t{random < f32};
    for (const auto& [rounding, code] :
         {std::pair(Rounding::kNearestEven, near), std::pair(Rounding::kStochastic, chance)}) {
      const Result result = narrow({GetParam(), rounding, Overflow::kSaturate}, value, random);
      ASSERT_EQ(result.bits, sign | std::min(code, f.largest)) << std::hex << value << ' ' << random;
      ASSERT_EQ(result.flags.overflow, code > f.largest) << std::hex << value << ' ' << random;
      ASSERT_EQ(result.flags.inexact, fraction != 0) << std::hex << value;
    }
  }

  std::vector<double> numbers_;
};

TEST_P(Neighbours, AreThoseOfTheListOfAllNumbers) {
  std::mt19937_64 engine(1);
  const double lowest = std::ldexp(1.0, info(GetParam()).lowest_exponent());
  for (int i = 0; i < 200'000; ++i) {
    const auto random = static_cast<std::uint32_t>(engine());
    auto value = static_cast<std::uint32_t>(engine());
    if (i % 2 == 0)
      value = bits_of(lowest * std::ldexp(static_cast<double>(engine() >> 32), -28 - static_cast<int>(engine() % 16)));
    if (std::isnan(double_of(value))) continue;
    expect_right(value, random);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Neighbours,
                         testing::Values(Format::kFp16, Format::kBf16, Format::kFp8E4m3, Format::kFp8E5m2),
                         [](const auto& one) { return std::string(fp::info(one.param).name); });

}  // namespace
}  // namespace tb::golden::fp
