#include "tb/blocks/fp/operands.h"

#include <algorithm>
#include <array>

#include "tb/golden/fp/fma.h"

namespace tb::blocks::fp {
namespace {

constexpr int kBias = 127;
constexpr int kTop = 254;  // highest biased exponent of a finite number

int exponent_of(std::uint32_t value) { return static_cast<int>(value >> 23 & 0xff); }

}  // namespace

std::uint32_t Operands::corner() {
  static constexpr std::array<std::uint32_t, 20> kCorners{0x00000000, 0x00000001, 0x00000002, 0x00400000, 0x007ffffe,
                                                          0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000,
                                                          0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x7f000000,
                                                          0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001};
  return kCorners[dice_.below(kCorners.size())];
}

std::uint32_t Operands::fraction() {
  const std::uint32_t all = dice_.word() & 0x7fffff;
  switch (dice_.below(6)) {
    case 0:  // few ones
      return (1U << dice_.below(23)) | (dice_.coin() ? 1U << dice_.below(23) : 0U);
    case 1:  // a run of ones from the top
      return 0x7fffff & ~((1U << dice_.below(24)) - 1);
    case 2:  // a run of ones at the bottom
      return (1U << dice_.below(24)) - 1;
    case 3:  // half of the digits, so that products are exact
      return all & 0x7ff000;
    default:
      return all;
  }
}

std::uint32_t Operands::with_exponent(int biased) {
  return sign() | static_cast<std::uint32_t>(std::clamp(biased, 0, kTop)) << 23 | fraction();
}

std::uint32_t Operands::number() {
  switch (dice_.below(8)) {
    case 0:
      return sign() | corner();
    case 1:
      return with_exponent(dice_.between(0, 3));
    case 2:
      return with_exponent(dice_.between(kTop - 3, kTop));
    case 3:
    case 4:
      return with_exponent(dice_.between(kBias - 30, kBias + 30));
    case 5:
      return with_exponent(dice_.between(0, kTop));
    default:
      return dice_.word();
  }
}

std::uint32_t Operands::near(golden::fp::Format format) {
  const auto& f = golden::fp::info(format);
  const int lowest = f.lowest_exponent() + kBias;
  const int highest = f.bias + 1 + kBias;
  const auto cut = 23 - f.fraction_bits;
  std::uint32_t value = number();
  if (!dice_.one_in(8)) {
    const int bottom = lowest - static_cast<int>(f.fraction_bits) - 3;
    const int exponent = dice_.coin()   ? dice_.between(bottom, lowest + 1)
                         : dice_.coin() ? dice_.between(highest - 2, highest + 1)
                                        : dice_.between(bottom - 40, highest + 2);
    value = with_exponent(exponent);
  }
  // Around the midpoint of two neighbours, or around one of them; one digit more is cut off for each binade below the
  // lowest.
  if (cut > 0 && dice_.coin()) {
    const auto extra =
        static_cast<unsigned>(std::clamp(lowest - exponent_of(value), 0, static_cast<int>(f.fraction_bits)));
    const std::uint32_t rest = (1U << (cut + extra)) - 1;
    value = (value & ~rest) | (dice_.coin() ? (rest >> 1) + dice_.below(3) : dice_.below(2));
  }
  return value;
}

FmaOperands Operands::alike() {
  const int a = dice_.between(1, kTop);
  const int b = dice_.between(1, kTop);
  return {with_exponent(a), with_exponent(b), with_exponent(a + b - kBias + dice_.between(-52, 52))};
}

FmaOperands Operands::cancelling() {
  FmaOperands x{with_exponent(dice_.between(40, 200)), with_exponent(dice_.between(40, 200)), 0};
  if (dice_.one_in(4)) {
    x.a = with_exponent(dice_.between(1, 120));
    x.b = with_exponent(dice_.between(1, 120));
  }
  const std::uint32_t product = golden::fp::fma(x.a, x.b, 0x80000000).bits;
  x.c = (product ^ 0x80000000) + static_cast<std::uint32_t>(dice_.between(-2, 2));
  return x;
}

FmaOperands Operands::at_the_bottom() {
  const int a = dice_.between(1, kTop);
  const int b = kBias - a + dice_.between(-30, 30);
  const std::uint32_t c = dice_.one_in(3) ? sign() | corner() : with_exponent(dice_.between(0, 30));
  return {with_exponent(a), with_exponent(b), c};
}

FmaOperands Operands::at_the_top() {
  const int a = dice_.between(1, kTop);
  const int b = kTop + kBias - a + dice_.between(-3, 2);
  return {with_exponent(a), with_exponent(b), with_exponent(dice_.between(kTop - 50, kTop))};
}

FmaOperands Operands::halfway() {
  // A product of 25 digits that ends in a one lies half way between two numbers; so does one of 24 and a one at the
  // right distance.
  const std::uint32_t m = 1U << 12 | dice_.below(1U << 12) | 1U;
  const std::uint32_t n = 1U << 11 | dice_.below(1U << 11) | 1U;
  const int a = dice_.between(1, kTop);
  const int b = std::clamp(dice_.coin() ? kBias - a + dice_.between(-26, 26) : dice_.between(1, kTop), 1, kTop);
  FmaOperands x;
  x.a = sign() | static_cast<std::uint32_t>(a) << 23 | (m << 11 & 0x7fffff);
  x.b = sign() | static_cast<std::uint32_t>(b) << 23 | (n << 12 & 0x7fffff);
  switch (dice_.below(4)) {
    case 0:
      x.c = sign();
      break;
    case 1:  // a grain that breaks the tie
      x.c = sign() | dice_.below(4);
      break;
    case 2:  // 1.f plus exactly half of its last digit
      x.b = sign() | static_cast<std::uint32_t>(b) << 23;
      x.a &= 0xff800000;
      x.c = with_exponent(a + b - kBias + 24 + dice_.between(-1, 1));
      break;
    default:
      x.c = with_exponent(a + b - kBias + dice_.between(-26, 26));
  }
  return x;
}

FmaOperands Operands::subnormal_factor() {
  FmaOperands x{with_exponent(0), with_exponent(dice_.between(1, kTop)), 0};
  x.a &= 0x80000000 | (0x7fffffU >> dice_.below(23));
  x.c = with_exponent(exponent_of(x.b) - kBias + dice_.between(-60, 30));
  if (dice_.coin()) std::swap(x.a, x.b);
  return x;
}

FmaOperands Operands::fma() {
  switch (dice_.below(9)) {
    case 0:
      return {number(), number(), number()};
    case 1:
      return {sign() | corner(), sign() | corner(), sign() | corner()};
    case 2:
      return cancelling();
    case 3:
      return at_the_bottom();
    case 4:
      return at_the_top();
    case 5:
      return halfway();
    case 6:
      return subnormal_factor();
    default:
      return alike();
  }
}

}  // namespace tb::blocks::fp
