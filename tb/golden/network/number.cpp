#include "tb/golden/network/number.h"

#include <cmath>
#include <cstring>

#include "tb/golden/fp/fma.h"
#include "tb/golden/fp/post.h"

namespace tb::golden::network {
namespace {

constexpr Number kOne{0x3f800000};
constexpr Number kMinusZero{0x80000000};
constexpr fp::Narrowing kBf16{fp::Format::kBf16, fp::Rounding::kNearestEven, fp::Overflow::kInfinity};

Number negated(Number a) { return {a.bits ^ 0x80000000U}; }

/// 2^exponent, a normal number.
Number power(int exponent) { return {static_cast<std::uint32_t>(exponent + 127) << 23U}; }

}  // namespace

float float_of(Number a) {
  float value = 0;
  std::memcpy(&value, &a.bits, sizeof value);
  return value;
}

Number number_of(float a) {
  Number number;
  std::memcpy(&number.bits, &a, sizeof a);
  return number;
}

Number fma(Number a, Number b, Number c) { return {fp::fma(a.bits, b.bits, c.bits).bits}; }
Number add(Number a, Number b) { return fma(a, kOne, b); }
Number subtract(Number a, Number b) { return fma(negated(b), kOne, a); }
Number multiply(Number a, Number b) { return fma(a, b, kMinusZero); }
Number divide(Number a, Number b) { return number_of(float_of(a) / float_of(b)); }
Number root(Number a) { return number_of(std::sqrt(float_of(a))); }
Number bf16(Number a) { return {fp::narrow(kBf16, a.bits, 0).bits << 16U}; }

Number exponential(Number x) {
  const float value = float_of(x);
  if (std::isnan(value)) return {0x7fc00000};
  if (value < float_of({0xc2aeac4f})) return {0};
  if (value > float_of({0x42b17217})) return {0x7f800000};
  const Number t = fma(x, {0x3fb8aa3b}, {0x4b400000});
  const Number n = subtract(t, {0x4b400000});
  Number r = fma(n, {0xbf317200}, x);
  r = fma(n, {0xb5bfbe8e}, r);
  Number p{0x39500d01};
  p = fma(p, r, {0x3ab60b61});
  p = fma(p, r, {0x3c088889});
  p = fma(p, r, {0x3d2aaaab});
  p = fma(p, r, {0x3e2aaaab});
  p = fma(p, r, {0x3f000000});
  p = fma(p, r, {0x3f800000});
  p = fma(p, r, {0x3f800000});
  const int whole = static_cast<int>(t.bits & 0x3fffffU) - (1 << 22);
  const int half = whole >= 0 ? whole / 2 : -((1 - whole) / 2);
  return multiply(multiply(p, power(half)), power(whole - half));
}

Table draw(std::mt19937& random, std::size_t rows, std::size_t columns, float scale) {
  Table table(rows, Row(columns));
  for (Row& row : table)
    for (Number& number : row) {
      const std::uint32_t steps = static_cast<std::uint32_t>(random()) / 256;  // of 2^-24
      const double u = static_cast<double>(steps) / 16777216.0 - 0.5;
      number = multiply(number_of(static_cast<float>(u)), number_of(scale));
    }
  return table;
}

Table bf16(const Table& table) {
  Table out = table;
  for (Row& row : out)
    for (Number& number : row) number = bf16(number);
  return out;
}

Table product(const Table& x, const Table& w, const Way& way) {
  const Table moving = bf16(x);
  const Table stationary = bf16(w);
  Table out(w[0].size(), Row(x[0].size()));
  fp::Generator unused;
  for (std::size_t o = 0; o < out.size(); ++o) {
    fp::PostSteps steps;
    if (way.scale != nullptr) steps.scale = way.scale->bits;
    if (way.bias != nullptr) steps.bias = (*way.bias)[o].bits;
    steps.relu = way.relu;
    for (std::size_t t = 0; t < out[o].size(); ++t) {
      Number sum;
      for (std::size_t i = 0; i < x.size(); ++i) sum = fma(moving[i][t], stationary[i][o], sum);
      out[o][t].bits = fp::post(steps, sum.bits, unused).bits;
      if (way.to_bf16) out[o][t] = bf16(out[o][t]);
    }
  }
  return out;
}

}  // namespace tb::golden::network
