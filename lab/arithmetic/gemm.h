#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/arithmetic/format.h"

namespace firstlight::arithmetic {

/// C = A x B, with A of m x k, B of k x n, C of m x n elements, each at least 1.
struct GemmShape {
  unsigned m = 1;
  unsigned n = 1;
  unsigned k = 1;
};

struct GemmOptions {
  Format a = Format::bf16;
  Format b = Format::bf16;
  Format c = Format::fp32;
  bool double_row = false;  // two steps a cycle; a and b are fp8
  bool stochastic = false;
  bool saturate = false;
  bool scale = false;  // each column of C by its factor
  bool bias = false;   // and then its addend
  bool relu = false;
};

enum class Matrix : std::uint8_t {
  a,
  b,
  c,
  params  // for each column of C its factor and its addend, fp32
};

/// How a matrix lies in memory: `rows` rows of `row_bytes` bytes, each beginning `pitch` bytes (a multiple of 8) after
/// the one before; what lies between is neither looked at nor written. The base is a multiple of 8, little endian.
///   a       k rows of m elements, B k rows of n: row k has what the array's row takes
///   c       n rows of m elements, which is the layout of `a` of a product with k = n
///   params  n rows of a factor and an addend
/// In double-row mode two rows of `a` and of `b` are one: (k + 1) / 2 rows, in which the elements of row 2r and of row
/// 2r + 1 take turns, that of 2r first. With an odd k the last row's second elements have no say.
struct MatrixLayout {
  std::size_t rows = 0;
  std::size_t row_bytes = 0;
  std::size_t pitch = 0;
  std::size_t bytes() const { return rows * pitch; }
};
MatrixLayout layout_of(Matrix matrix, const GemmShape& shape, const GemmOptions& options);

/// An element of a matrix in memory: `row` and `column` as MatrixLayout counts them, before pairs are formed. Of
/// `params` column 0 is the factor, 1 the addend.
std::uint32_t element_at(Matrix matrix, const GemmShape& shape, const GemmOptions& options,
                         const std::vector<std::uint8_t>& memory, std::size_t row, std::size_t column);
void put_element(Matrix matrix, const GemmShape& shape, const GemmOptions& options, std::vector<std::uint8_t>& memory,
                 std::size_t row, std::size_t column, std::uint32_t code);

/// Matrices in memory.
struct GemmOperands {
  std::vector<std::uint8_t> a;
  std::vector<std::uint8_t> b;
  std::vector<std::uint8_t> params;  // with `scale` or `bias`
};

struct GemmResult {
  std::vector<std::uint8_t> c;  // bytes between rows are 0
  Flags flags;
  std::vector<std::uint32_t> generators;  // after it
};

/// The order in which sums go out, which matters to stochastic rounding: blocks of `block` rows, in them columns, in
/// them rows; column c takes the numbers of generator c mod `lanes`.
struct GemmOrder {
  unsigned block = 128;
  unsigned lanes = 8;
};

/// Throws std::invalid_argument for a shape or options that are none.
void check(const GemmShape& shape, const GemmOptions& options);

/// What docs/arithmetic.md says a product is, bit for bit, by the host's own floats: one chain for each element.
/// Generators begin at 1. Throws std::invalid_argument for a shape or options that are none, and for operands of
/// another size than theirs.
GemmResult gemm_reference(const GemmOrder& order, const GemmShape& shape, const GemmOptions& options,
                          const GemmOperands& operands);

}  // namespace firstlight::arithmetic
