#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/drivers/tern/tensor/instruction.h"

namespace firstlight::tern::tensor {

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

/// Elements between a matrix (row by row, without gaps) and a partition of the scratchpad: `outer` groups of `inner`
/// elements. In the partition a group lies together, and the groups `pitch` elements apart.
struct Transfer {
  Matrix matrix = Matrix::a;
  unsigned partition = 0;
  unsigned address = 0;   // bytes within the partition
  std::size_t first = 0;  // index of the first element in the matrix
  unsigned inner = 1;
  std::size_t inner_stride = 1;  // in elements of the matrix
  unsigned outer = 1;
  std::size_t outer_stride = 1;
  unsigned pitch = 1;
};

/// What the engine does between two exchanges. Transfers into the next stage's buffers, and out of the last one's, may
/// run meanwhile: a stage touches neither.
struct GemmStage {
  std::vector<Transfer> in;  // before its program
  std::vector<Instruction> program;
  std::vector<Transfer> out;  // after it
};

/// Cuts a product into stages that fit the engine, whatever its size. Columns of C are the array's columns, so that
/// each element of C is one chain over k from 0 on (docs/arithmetic.md, "Order"): how it is cut has no influence on any
/// bit, but on the numbers of stochastic rounding, which follow the order of the stores. Throws std::invalid_argument
/// for a shape or options that are none.
std::vector<GemmStage> plan_gemm(const Engine& engine, const GemmShape& shape, const GemmOptions& options);

/// Cycles in which the array takes a vector, when nothing ever holds it up.
std::uint64_t ideal_cycles(const Engine& engine, const GemmShape& shape, const GemmOptions& options);

}  // namespace firstlight::tern::tensor
