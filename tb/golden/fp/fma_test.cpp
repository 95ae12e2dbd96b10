#include "tb/golden/fp/fma.h"

#include <gtest/gtest.h>

namespace tb::golden::fp {
namespace {

constexpr std::uint32_t kOne = 0x3f800000;
constexpr std::uint32_t kInfinity = 0x7f800000;
constexpr std::uint32_t kMinus = 0x80000000;
constexpr std::uint32_t kNan = 0x7fc00000;
constexpr unsigned kInvalid = 1;
constexpr unsigned kOverflow = 2;
constexpr unsigned kUnderflow = 4;
constexpr unsigned kInexact = 8;
constexpr unsigned kNanIn = 16;

void expect_result(const Result& result, std::uint32_t bits, unsigned flags) {
  EXPECT_EQ(result.bits, bits) << std::hex << result.bits;
  EXPECT_EQ(result.flags.bits(), flags);
}

TEST(GoldenFma, HostTellsTininessAfterRounding) { EXPECT_TRUE(host_tells_tininess_after_rounding()); }

TEST(GoldenFma, RoundsOnce) {
  // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, which two roundings lose.
  expect_result(fma(0x3f800800, 0x3f800800, 0x3f801000 | kMinus), 0x33800000, 0);
  expect_result(fma(0x3f800001, 0x3f800001, 0), 0x3f800002, kInexact);
  // 1 + 2^-24 is a tie; a grain more decides it.
  expect_result(fma(0x33800000, kOne, kOne), kOne, kInexact);
  expect_result(fma(0x33800001, kOne, kOne), 0x3f800001, kInexact);
}

TEST(GoldenFma, ZerosKeepTheRulesOfSigns) {
  expect_result(fma(kOne, kOne, kOne | kMinus), 0, 0);
  expect_result(fma(kMinus, kOne, kMinus), kMinus, 0);
  expect_result(fma(0, kOne, kMinus), 0, 0);
  expect_result(fma(kMinus, kOne, 0), 0, 0);
  expect_result(fma(kOne | kMinus, 0, kMinus), kMinus, 0);
}

TEST(GoldenFma, InvalidOperations) {
  expect_result(fma(kInfinity, 0, kOne), kNan, kInvalid);
  expect_result(fma(0, kInfinity | kMinus, 0x7fc00000), kNan, kInvalid | kNanIn);
  expect_result(fma(kInfinity, kOne, kInfinity | kMinus), kNan, kInvalid);
  expect_result(fma(kInfinity, kOne, kInfinity), kInfinity, 0);
  expect_result(fma(kOne, 0x7f800001, kOne), kNan, kInvalid | kNanIn);
  expect_result(fma(kOne, 0xffffffff, kOne), kNan, kNanIn);
  expect_result(fma(kInfinity, 0x7fc00000, kInfinity | kMinus), kNan, kNanIn);
}

TEST(GoldenFma, Limits) {
  expect_result(fma(0x7f7fffff, 0x40000000, 0), kInfinity, kOverflow | kInexact);
  expect_result(fma(0x7f7fffff, 0x40000000 | kMinus, 0), kInfinity | kMinus, kOverflow | kInexact);
  // Half a last digit above the largest is where the infinity begins.
  expect_result(fma(0x73000000, kOne, 0x7f7fffff), kInfinity, kOverflow | kInexact);
  expect_result(fma(0x72ffffff, kOne, 0x7f7fffff), 0x7f7fffff, kInexact);
  expect_result(fma(0x7f7fffff, 0x40000000, 0xff7fffff), 0x7f7fffff,
                0);  // what leaves the range on the way may come back
  expect_result(fma(0x00000001, 0x3f000000, 0), 0, kUnderflow | kInexact);
  expect_result(fma(0x00000001, 0x3f000001, 0), 1, kUnderflow | kInexact);
  expect_result(fma(0x00800000, 0x3f000000, 0), 0x00400000, 0);  // subnormal, but exact
  expect_result(fma(0x00000001, 0x00000001, 0x80000000), 0, kUnderflow | kInexact);
}

}  // namespace
}  // namespace tb::golden::fp
