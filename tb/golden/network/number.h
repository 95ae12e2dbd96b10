#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace tb::golden::network {

/// A number of fp32 by its bits; its operations are those of docs/networks.md, "Rules".
struct Number {
  std::uint32_t bits = 0;
};
float float_of(Number a);
Number number_of(float a);
Number fma(Number a, Number b, Number c);
Number add(Number a, Number b);
Number subtract(Number a, Number b);
Number multiply(Number a, Number b);
Number divide(Number a, Number b);
Number root(Number a);
Number bf16(Number a);
/// docs/networks.md, "The exponential".
Number exponential(Number x);

using Row = std::vector<Number>;
using Table = std::vector<Row>;  // [row][column]

/// MT19937 to numbers from -scale / 2 to scale / 2.
Table draw(std::mt19937& random, std::size_t rows, std::size_t columns, float scale);
Table bf16(const Table& table);

/// What the output path does.
struct Way {
  bool to_bf16 = false;
  bool relu = false;
  const Row* bias = nullptr;
  const Number* scale = nullptr;
};
/// out[o][t] = sum over i of x[i][t] x w[i][o].
Table product(const Table& x, const Table& w, const Way& way);

}  // namespace tb::golden::network
