#include "tb/golden/fp/widen.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tb::golden::fp {
namespace {

double value_of(Format format, std::uint32_t code) {
  const std::uint32_t bits = widen(format, code).bits;
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

// OCP 8-bit Floating Point Specification 1.0, table 1.
TEST(GoldenWiden, E4m3AsPublished) {
  EXPECT_EQ(value_of(Format::kFp8E4m3, 0b0'1111'110), 448.0);
  EXPECT_EQ(value_of(Format::kFp8E4m3, 0b0'0001'000), std::ldexp(1.0, -6));
  EXPECT_EQ(value_of(Format::kFp8E4m3, 0b0'0000'111), 0.875 * std::ldexp(1.0, -6));
  EXPECT_EQ(value_of(Format::kFp8E4m3, 0b0'0000'001), std::ldexp(1.0, -9));
  EXPECT_EQ(value_of(Format::kFp8E4m3, 0b1'1111'110), -448.0);
  EXPECT_EQ(value_of(Format::kFp8E4m3, 0b0'1111'000), 256.0);
  EXPECT_EQ(widen(Format::kFp8E4m3, 0x80).bits, 0x80000000U);
}

TEST(GoldenWiden, E5m2AsPublished) {
  EXPECT_EQ(value_of(Format::kFp8E5m2, 0b0'11110'11), 57344.0);
  EXPECT_EQ(value_of(Format::kFp8E5m2, 0b0'00001'00), std::ldexp(1.0, -14));
  EXPECT_EQ(value_of(Format::kFp8E5m2, 0b0'00000'11), 0.75 * std::ldexp(1.0, -14));
  EXPECT_EQ(value_of(Format::kFp8E5m2, 0b0'00000'01), std::ldexp(1.0, -16));
  EXPECT_EQ(widen(Format::kFp8E5m2, 0x7c).bits, 0x7f800000U);
  EXPECT_EQ(widen(Format::kFp8E5m2, 0xfc).bits, 0xff800000U);
}

// IEEE 754-2019, table 3.5 and clause 3.4.
TEST(GoldenWiden, Binary16AsPublished) {
  EXPECT_EQ(value_of(Format::kFp16, 0x7bff), 65504.0);
  EXPECT_EQ(value_of(Format::kFp16, 0x0400), std::ldexp(1.0, -14));
  EXPECT_EQ(value_of(Format::kFp16, 0x03ff), std::ldexp(1023.0, -24));
  EXPECT_EQ(value_of(Format::kFp16, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(value_of(Format::kFp16, 0x3555), 0.333251953125);
  EXPECT_EQ(value_of(Format::kFp16, 0xc000), -2.0);
  EXPECT_EQ(widen(Format::kFp16, 0x7c00).bits, 0x7f800000U);
}

TEST(GoldenWiden, Bf16IsTheUpperHalf) {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const Result result = widen(Format::kBf16, code);
    if (result.flags.nan_in) continue;
    ASSERT_EQ(result.bits, code << 16);
  }
  EXPECT_EQ(value_of(Format::kBf16, 0x7f7f), (2.0 - std::ldexp(1.0, -7)) * std::ldexp(1.0, 127));
}

TEST(GoldenWiden, EveryNanIsTheCanonicalOne) {
  struct Case {
    Format format;
    std::uint32_t code;
    bool signalling;
  };
  for (const Case& one :
       {Case{Format::kFp32, 0x7f800001, true}, Case{Format::kFp32, 0xffc12345, false},
        Case{Format::kFp16, 0x7c01, true}, Case{Format::kFp16, 0xfe01, false}, Case{Format::kBf16, 0x7f81, true},
        Case{Format::kBf16, 0x7fff, false}, Case{Format::kFp8E4m3, 0x7f, false}, Case{Format::kFp8E4m3, 0xff, false},
        Case{Format::kFp8E5m2, 0x7d, true}, Case{Format::kFp8E5m2, 0xfe, false}}) {
    const Result result = widen(one.format, one.code);
    EXPECT_EQ(result.bits, 0x7fc00000U) << std::hex << one.code;
    EXPECT_TRUE(result.flags.nan_in);
    EXPECT_EQ(result.flags.invalid, one.signalling) << std::hex << one.code;
  }
}

}  // namespace
}  // namespace tb::golden::fp
