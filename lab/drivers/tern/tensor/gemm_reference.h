#pragma once

#include <cstdint>
#include <vector>

#include "lab/drivers/tern/tensor/gemm.h"

namespace firstlight::tern::tensor {

/// Matrices in memory, as `layout_of` has them.
struct GemmOperands {
  std::vector<std::uint8_t> a;
  std::vector<std::uint8_t> b;
  std::vector<std::uint8_t> params;  // with `scale` or `bias`
};

struct GemmResult {
  std::vector<std::uint8_t> c;  // bytes between rows are 0
  arithmetic::Flags flags;
  std::vector<std::uint32_t> generators;  // of the array's columns, after it
};

/// What docs/arithmetic.md says a product is, bit for bit, without the engine: one chain for each element. Stochastic
/// rounding takes the numbers of the columns' generators in the order in which a plan's stores do; `generators` are
/// their states before it, and without them all are 1. Throws std::invalid_argument for a shape or options that are
/// none, and for operands of another size than theirs.
GemmResult gemm_reference(const Engine& engine, const GemmShape& shape, const GemmOptions& options,
                          const GemmOperands& operands, const std::vector<std::uint32_t>& generators = {});

/// An element of a matrix in memory: `row` and `column` as MatrixLayout counts them, before pairs are formed. Of
/// `params` column 0 is the factor, 1 the addend.
std::uint32_t element_at(Matrix matrix, const GemmShape& shape, const GemmOptions& options,
                         const std::vector<std::uint8_t>& memory, std::size_t row, std::size_t column);
void put_element(Matrix matrix, const GemmShape& shape, const GemmOptions& options, std::vector<std::uint8_t>& memory,
                 std::size_t row, std::size_t column, std::uint32_t code);

}  // namespace firstlight::tern::tensor
