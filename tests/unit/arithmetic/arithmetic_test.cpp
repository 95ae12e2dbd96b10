// The product's arithmetic against the golden model's, which another hand wrote from the same page.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "lab/arithmetic/convert.h"
#include "lab/arithmetic/fused.h"
#include "lab/arithmetic/output.h"
#include "tb/golden/fp/fma.h"
#include "tb/golden/fp/post.h"
#include "tb/golden/fp/widen.h"
#include "tests/support/random_part.h"

namespace firstlight::arithmetic {
namespace {

namespace golden = tb::golden::fp;

using test::cases;
using test::seed;

golden::Format golden_format(Format format) { return static_cast<golden::Format>(format); }

/// Both sides of an operation: bits, and flags as the engine's register has them.
struct Answer {
  std::uint32_t bits = 0;
  unsigned flags = 0;
};
bool operator==(const Answer& a, const Answer& b) { return a.bits == b.bits && a.flags == b.flags; }
void PrintTo(const Answer& answer, std::ostream* out) {
  *out << std::hex << answer.bits << " flags " << answer.flags << std::dec;
}
Answer answer_of(const golden::Result& result) { return {result.bits, result.flags.bits()}; }

Answer narrowed(const Narrowing& how, std::uint32_t value, std::uint32_t random) {
  Flags flags;
  const std::uint32_t bits = narrow(how, float_of(value), random, flags);
  return {bits, flags.bits()};
}

void expect_narrows_alike(std::uint32_t value, std::uint32_t random) {
  for (const Format format : kFormats) {
    for (const bool stochastic : {false, true}) {
      for (const bool saturate : {false, true}) {
        const Narrowing how{format, stochastic ? Rounding::stochastic : Rounding::nearest_even,
                            saturate ? Overflow::saturate : Overflow::infinity};
        const golden::Narrowing theirs{golden_format(format),
                                       stochastic ? golden::Rounding::kStochastic : golden::Rounding::kNearestEven,
                                       saturate ? golden::Overflow::kSaturate : golden::Overflow::kInfinity};
        ASSERT_EQ(narrowed(how, value, random), answer_of(golden::narrow(theirs, value, random)))
            << std::hex << value << " to " << name_of(format) << (stochastic ? " stochastic " : " rne ")
            << (saturate ? "saturate " : "infinity ") << random;
      }
    }
  }
}

/// Bits of which zeros, infinities, NaN, subnormals and powers of two are as frequent as others.
std::uint32_t corner(std::mt19937_64& random) {
  const auto any = static_cast<std::uint32_t>(random());
  switch (random() % 8) {
    case 0:
      return any & 0x80000000U;
    case 1:
      return any | 0x7f800000U;
    case 2:
      return (any & 0x80000000U) | 0x7f800000U;
    case 3:
      return any & 0x807fffffU;
    case 4:
      return any & 0xff800000U;
    case 5:
      return (any & 0x83ffffffU) | 0x3c000000U;
    default:
      return any;
  }
}

TEST(Arithmetic, EveryCodeOfEveryShortFormatWidensAlike) {
  for (const Format format : kFormats) {
    if (format == Format::fp32) continue;
    for (std::uint32_t code = 0; code < 1U << (8 * bytes_of(format)); ++code) {
      Flags flags;
      const std::uint32_t bits = bits_of(widen(format, code, flags));
      ASSERT_EQ((Answer{bits, flags.bits()}), answer_of(golden::widen(golden_format(format), code)))
          << name_of(format) << " " << code;
    }
  }
}

TEST(Arithmetic, EveryNumberOfEveryShortFormatNarrowsAlike) {
  std::mt19937_64 random(seed());
  for (const Format format : kFormats) {
    if (format == Format::fp32) continue;
    for (std::uint32_t code = 0; code < 1U << (8 * bytes_of(format)); ++code) {
      Flags flags;
      expect_narrows_alike(bits_of(widen(format, code, flags)), static_cast<std::uint32_t>(random()));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Arithmetic, RandomNumbersNarrowAlike) {
  std::cout << "seed " << seed() << " (FIRSTLIGHT_SEED)\n";
  std::mt19937_64 random(seed());
  for (std::uint64_t i = 0; i < cases(100000); ++i) {
    const std::uint32_t value = corner(random);
    expect_narrows_alike(value, static_cast<std::uint32_t>(random()));
    // Where stochastic rounding turns.
    const Format format = kFormats.at(random() % kFormats.size());
    if ((value & 0x7f800000U) != 0x7f800000U)
      expect_narrows_alike(
          value, golden::rounding_fraction(golden_format(format), value) - static_cast<std::uint32_t>(random() % 2));
    if (HasFatalFailure()) return;
  }
}

TEST(Arithmetic, MultiplyAddsAreAlike) {
  std::mt19937_64 random(seed() + 1);
  for (std::uint64_t i = 0; i < cases(500000); ++i) {
    const std::uint32_t a = corner(random);
    const std::uint32_t b = corner(random);
    const std::uint32_t c = corner(random);
    Flags flags;
    const std::uint32_t bits = bits_of(fused(float_of(a), float_of(b), float_of(c), flags));
    ASSERT_EQ((Answer{bits, flags.bits()}), answer_of(golden::fma(a, b, c))) << std::hex << a << " " << b << " " << c;
  }
}

TEST(Arithmetic, WhatGoesOutIsAlike) {
  std::mt19937_64 random(seed() + 2);
  Generator generator(7);
  golden::Generator theirs(7);
  for (std::uint64_t i = 0; i < cases(200000); ++i) {
    Output how;
    golden::PostSteps steps;
    if (random() % 2 == 0) how.scale = float_of(*(steps.scale = corner(random)));
    if (random() % 2 == 0) how.bias = float_of(*(steps.bias = corner(random)));
    how.relu = steps.relu = random() % 2 == 0;
    how.narrowing.format = kFormats.at(random() % kFormats.size());
    steps.narrowing.format = golden_format(how.narrowing.format);
    const bool stochastic = random() % 2 == 0;
    how.narrowing.rounding = stochastic ? Rounding::stochastic : Rounding::nearest_even;
    steps.narrowing.rounding = stochastic ? golden::Rounding::kStochastic : golden::Rounding::kNearestEven;
    steps.narrowing.overflow = golden::Overflow::kInfinity;
    const std::uint32_t value = corner(random);
    Flags flags;
    const std::uint32_t bits = put_out(how, float_of(value), generator, flags);
    ASSERT_EQ((Answer{bits, flags.bits()}), answer_of(golden::post(steps, value, theirs))) << std::hex << value;
    ASSERT_EQ(generator.state(), theirs.state());
  }
}

TEST(Arithmetic, ProductsAreChains) {
  std::mt19937_64 random(seed() + 3);
  for (std::uint64_t i = 0; i < cases(100000) / 250; ++i) {
    Operands o;
    o.m = 1 + random() % 6;
    o.n = 1 + random() % 6;
    o.k = 1 + random() % 12;
    const bool special = random() % 2 == 0;
    const auto some = [&] {
      const std::uint32_t bits = special && random() % 4 == 0 ? corner(random) : 0;
      return float_of(bits != 0 ? bits : static_cast<std::uint32_t>((random() & 0x87ffffffU) + 0x38000000U));
    };
    for (std::size_t e = 0; e < o.m * o.k; ++e) o.a.push_back(some());
    for (std::size_t e = 0; e < o.k * o.n; ++e) o.b.push_back(some());
    Flags flags;
    const std::vector<float> c = product(o, flags);
    unsigned theirs = 0;
    for (std::size_t column = 0; column < o.n; ++column) {
      for (std::size_t row = 0; row < o.m; ++row) {
        std::uint32_t sum = 0;
        for (std::size_t k = 0; k < o.k; ++k) {
          const auto step = golden::fma(bits_of(o.a[k * o.m + row]), bits_of(o.b[k * o.n + column]), sum);
          sum = step.bits;
          theirs |= step.flags.bits();
        }
        ASSERT_EQ(bits_of(c[column * o.m + row]), sum) << "case " << i << " row " << row << " column " << column;
      }
    }
    ASSERT_EQ(flags.bits(), theirs) << "case " << i;
  }
}

TEST(Arithmetic, ALargeProductTakesNoTime) {
  Operands o{128, 128, 128, std::vector<float>(128 * 128, 0.5F), std::vector<float>(128 * 128, 0.25F)};
  Flags flags;
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<float> c = product(o, flags);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::cout << "  128 x 128 x 128 in " << taken.count() << " s\n";
  EXPECT_EQ(c.at(77), 16.0F);
  EXPECT_EQ(flags.bits(), 0U);
  EXPECT_LT(taken.count(), 1.0);
}

TEST(Arithmetic, NamesOfFormats) {
  for (const Format format : kFormats) EXPECT_EQ(format_named(name_of(format)), format);
  EXPECT_FALSE(format_named("fp64").has_value());
}

}  // namespace
}  // namespace firstlight::arithmetic
