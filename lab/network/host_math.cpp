#include "lab/network/host_math.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/arithmetic/convert.h"

namespace firstlight::network {

namespace {

using arithmetic::float_of;

constexpr float kGain = 1.0F;
constexpr float kOffset = 0.0F;

float power_of_two(int exponent) { return std::ldexp(1.0F, exponent); }

}  // namespace

Grid transposed(const Grid& grid) {
  Grid out(grid.columns, grid.rows);
  for (std::size_t r = 0; r < grid.rows; ++r)
    for (std::size_t c = 0; c < grid.columns; ++c) out.at(c, r) = grid.at(r, c);
  return out;
}

Grid rows_of(const Grid& grid, std::size_t from, std::size_t count) {
  Grid out(count, grid.columns);
  const auto begin = grid.values.begin() + static_cast<std::ptrdiff_t>(from * grid.columns);
  std::copy(begin, begin + static_cast<std::ptrdiff_t>(out.values.size()), out.values.begin());
  return out;
}

Grid columns_of(const Grid& grid, std::size_t from, std::size_t count) {
  Grid out(grid.rows, count);
  for (std::size_t r = 0; r < grid.rows; ++r)
    for (std::size_t c = 0; c < count; ++c) out.at(r, c) = grid.at(r, from + c);
  return out;
}

Grid Draw::grid(std::size_t rows, std::size_t columns, float scale) {
  Grid out(rows, columns);
  for (float& value : out.values)
    value = (static_cast<float>(static_cast<std::uint32_t>(random_()) >> 8U) * power_of_two(-24) - 0.5F) * scale;
  return out;
}

float exponential(float x) {
  if (std::isnan(x)) return float_of(0x7fc00000);
  if (x < float_of(0xc2aeac4f)) return 0.0F;
  if (x > float_of(0x42b17217)) return INFINITY;
  const float shift = float_of(0x4b400000);
  const float n = std::fma(x, float_of(0x3fb8aa3b), shift) - shift;
  float r = std::fma(n, float_of(0xbf317200), x);
  r = std::fma(n, float_of(0xb5bfbe8e), r);
  float p = float_of(0x39500d01);
  for (const std::uint32_t c :
       {0x3ab60b61U, 0x3c088889U, 0x3d2aaaabU, 0x3e2aaaabU, 0x3f000000U, 0x3f800000U, 0x3f800000U})
    p = std::fma(p, r, float_of(c));
  const auto whole = static_cast<int>(n);
  const auto half = static_cast<int>(std::floor(n / 2.0F));
  return p * power_of_two(half) * power_of_two(whole - half);
}

float gelu(float x) { return x / (1.0F + exponential(float_of(0xbfd9db23) * x)); }

float reciprocal_root(float x) { return 1.0F / std::sqrt(x); }

Grid norm(const Grid& x) {
  Grid out(x.rows, x.columns);
  const auto width = static_cast<float>(x.rows);
  for (std::size_t t = 0; t < x.columns; ++t) {
    float total = 0;
    for (std::size_t f = 0; f < x.rows; ++f) total = total + x.at(f, t);
    const float mean = total / width;
    float squares = 0;
    for (std::size_t f = 0; f < x.rows; ++f) {
      const float c = x.at(f, t) - mean;
      squares = std::fma(c, c, squares);
    }
    const float factor = reciprocal_root(squares / width + float_of(0x3727c5ac));
    for (std::size_t f = 0; f < x.rows; ++f) out.at(f, t) = std::fma((x.at(f, t) - mean) * factor, kGain, kOffset);
  }
  return out;
}

Grid softmax(const Grid& scores, bool causal) {
  Grid out(scores.rows, scores.columns);
  for (std::size_t query = 0; query < scores.columns; ++query) {
    const std::size_t keys = causal ? std::min(query + 1, scores.rows) : scores.rows;
    float largest = scores.at(0, query);
    for (std::size_t key = 1; key < keys; ++key) largest = std::max(largest, scores.at(key, query));
    float total = 0;
    for (std::size_t key = 0; key < keys; ++key) {
      out.at(key, query) = exponential(scores.at(key, query) - largest);
      total = total + out.at(key, query);
    }
    for (std::size_t key = 0; key < keys; ++key) out.at(key, query) = out.at(key, query) / total;
  }
  return out;
}

Grid sum(const Grid& a, const Grid& b) {
  Grid out = a;
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = a.values[i] + b.values[i];
  return out;
}

}  // namespace firstlight::network
