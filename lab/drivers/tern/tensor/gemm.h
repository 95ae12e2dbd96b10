#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/arithmetic/gemm.h"
#include "lab/drivers/tern/tensor/instruction.h"

namespace firstlight::tern::tensor {

using arithmetic::GemmOptions;
using arithmetic::GemmShape;
using arithmetic::Matrix;

/// A copy of `rows` rows of `bytes` bytes between a matrix and the scratchpad. Strides are from one row's beginning to
/// the next one's. It begins when semaphore `wait_sem` is at least `wait_count` (0: at once), which it takes off; it
/// adds 1 to `signal_sem` when its bytes, and those of all moves before it in its stream, are where they belong.
struct Move {
  Matrix matrix = Matrix::a;
  std::size_t memory = 0;  // bytes from the matrix' first
  std::size_t memory_stride = 0;
  std::size_t scratchpad = 0;  // bytes from the scratchpad's first: partition x partition_bytes + address
  std::size_t scratchpad_stride = 0;
  std::size_t bytes = 0;
  std::size_t rows = 1;
  unsigned wait_sem = 0;
  unsigned wait_count = 0;
  unsigned signal_sem = 0;
  bool signal = false;
};

/// A product as three streams that only semaphores order, with nobody between: moves into the scratchpad, the engine's
/// program, and moves out of it. Each stream is carried out in its order, the moves of one may overlap as long as they
/// end in it. The product is done when the last move out is. Semaphores are 0 before and after; `kGemmSemaphores` of
/// them are used, from 0 on.
struct GemmPlan {
  std::vector<Move> in;
  std::vector<Instruction> program;
  std::vector<Move> out;
  /// Whether all moves in can end before the program begins: none of them waits.
  bool fits_scratchpad() const;
};
inline constexpr unsigned kGemmSemaphores = 8;

/// Cuts a product into pieces that fit the engine, whatever its size. Columns of C are the array's columns, so that
/// each element of C is one chain over k from 0 on (docs/arithmetic.md, "Order"): how it is cut has no influence on any
/// bit, but on the numbers of stochastic rounding, which follow the order of the stores: blocks of `entries` rows, in
/// them the tiles of columns, in them the rows. Throws std::invalid_argument for a shape or options that are none.
GemmPlan plan_gemm(const Engine& engine, const GemmShape& shape, const GemmOptions& options);

/// Cycles in which the array takes a vector, when nothing ever holds it up.
std::uint64_t ideal_cycles(const Engine& engine, const GemmShape& shape, const GemmOptions& options);

}  // namespace firstlight::tern::tensor
