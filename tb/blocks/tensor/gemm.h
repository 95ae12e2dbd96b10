#pragma once

#include <cstdint>
#include <vector>

#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {

/// A product of matrices, C (rows x columns) = A (rows x depth) x B (depth x columns), in tiles of the array.
struct GemmShape {
  unsigned rows = 1;
  unsigned depth = 1;
  unsigned columns = 1;
  unsigned dtype_a = 0;
  unsigned dtype_b = 0;
  unsigned dtype_c = 0;
  bool double_row = false;
};

/// Lays the operands out in the scratchpad, writes the program, and says what must come out by docs/arithmetic.md
/// alone, without the golden engine.
class Gemm {
 public:
  Gemm(const golden::tensor::Shape& array, const GemmShape& shape, Dice& dice);

  /// Whether operands and result fit into the scratchpad.
  static bool fits(const golden::tensor::Shape& array, const GemmShape& shape);
  /// Puts the operands into the scratchpad of both sides.
  void place(TensorBench& bench) const;
  /// In the program's order, without semaphores.
  std::vector<Instruction> program() const;
  /// Fails where the scratchpad does not hold the product.
  void check(TensorBench& bench) const;

 private:
  struct Layout {
    unsigned steps;  // of the chain in a tile
    unsigned depth_tiles;
    unsigned column_tiles;
    unsigned stride_a;  // bytes of a tile in a partition
    unsigned stride_b;
    unsigned stride_c;
    unsigned begin_b;
    unsigned begin_c;
    unsigned end;
  };
  static Layout layout_of(const golden::tensor::Shape& array, const GemmShape& shape);
  std::uint32_t expected(unsigned row, unsigned column) const;
  void put(unsigned partition, unsigned address, unsigned dtype, std::uint32_t bits);

  golden::tensor::Shape array_;
  GemmShape shape_;
  Layout layout_;
  std::vector<std::uint32_t> a_;  // [row][depth]
  std::vector<std::uint32_t> b_;  // [depth][column]
  std::vector<std::vector<std::uint64_t>> image_;
};

}  // namespace tb::blocks::tensor
