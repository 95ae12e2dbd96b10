#include "tb/blocks/tensor/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tb/blocks/tensor/random_program.h"
#include "tb/golden/fp/fma.h"
#include "tb/golden/fp/narrow.h"
#include "tb/golden/fp/widen.h"

namespace tb::blocks::tensor {

using golden::tensor::element_bytes;
using golden::tensor::kPartitionBytes;

namespace {

unsigned whole_words(unsigned bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

Gemm::Layout Gemm::layout_of(const golden::tensor::Shape& array, const GemmShape& shape) {
  const unsigned pair = shape.double_row ? 2 : 1;
  Layout layout{};
  layout.steps = pair * array.rows;
  layout.depth_tiles = (shape.depth + layout.steps - 1) / layout.steps;
  layout.column_tiles = (shape.columns + array.cols - 1) / array.cols;
  layout.stride_a = whole_words(shape.rows * pair * element_bytes(shape.dtype_a));
  layout.stride_b = whole_words(array.cols * pair * element_bytes(shape.dtype_b));
  layout.stride_c = whole_words(shape.rows * element_bytes(shape.dtype_c));
  layout.begin_b = layout.depth_tiles * layout.stride_a;
  layout.begin_c = layout.begin_b + layout.depth_tiles * layout.column_tiles * layout.stride_b;
  layout.end = layout.begin_c + layout.column_tiles * layout.stride_c;
  return layout;
}

bool Gemm::fits(const golden::tensor::Shape& array, const GemmShape& shape) {
  return layout_of(array, shape).end <= kPartitionBytes;
}

Gemm::Gemm(const golden::tensor::Shape& array, const GemmShape& shape, Dice& dice)
    : array_(array),
      shape_(shape),
      layout_(layout_of(array, shape)),
      image_(array.partitions(), std::vector<std::uint64_t>(layout_.begin_c / 8)) {
  for (unsigned i = 0; i < shape.rows * shape.depth; ++i) a_.push_back(tame(shape.dtype_a, dice));
  for (unsigned i = 0; i < shape.depth * shape.columns; ++i) b_.push_back(tame(shape.dtype_b, dice));
  const unsigned pair = shape.double_row ? 2 : 1;
  for (unsigned d = 0; d < shape.depth; ++d) {
    const unsigned tile = d / layout_.steps;
    const unsigned partition = d % layout_.steps / pair;
    for (unsigned r = 0; r < shape.rows; ++r)
      put(partition, tile * layout_.stride_a + (r * pair + d % pair) * element_bytes(shape.dtype_a), shape.dtype_a,
          a_[r * shape.depth + d]);
    for (unsigned c = 0; c < shape.columns; ++c) {
      const unsigned place = c / array_.cols * layout_.depth_tiles + tile;
      put(partition,
          layout_.begin_b + place * layout_.stride_b +
              (c % array_.cols * pair + d % pair) * element_bytes(shape.dtype_b),
          shape.dtype_b, b_[d * shape.columns + c]);
    }
  }
}

void Gemm::put(unsigned partition, unsigned address, unsigned dtype, std::uint32_t bits) {
  std::uint64_t& word = image_.at(partition).at(address / 8);
  const unsigned shift = 8 * (address % 8);
  const std::uint64_t mask = ((std::uint64_t{1} << (8 * element_bytes(dtype))) - 1) << shift;
  word = (word & ~mask) | std::uint64_t{bits} << shift;
}

void Gemm::place(TensorBench& bench) const {
  for (unsigned p = 0; p < image_.size(); ++p) bench.set_words(p, 0, image_[p]);
}

std::vector<Instruction> Gemm::program() const {
  std::vector<Instruction> program;
  for (unsigned ct = 0; ct < layout_.column_tiles; ++ct) {
    const unsigned columns = std::min(array_.cols, shape_.columns - ct * array_.cols);
    for (unsigned dt = 0; dt < layout_.depth_tiles; ++dt) {
      const unsigned steps = std::min(layout_.steps, shape_.depth - dt * layout_.steps);
      const unsigned place = ct * layout_.depth_tiles + dt;
      auto load = make(Opcode::kLoad, shape_.dtype_b, 0, steps, columns, layout_.begin_b + place * layout_.stride_b);
      auto multiply = make(Opcode::kMultiply, shape_.dtype_a, shape_.rows, steps, columns, dt * layout_.stride_a);
      load.double_row = multiply.double_row = shape_.double_row;
      load.sbank = multiply.sbank = place % 2;
      multiply.abank = ct % golden::tensor::kBanks;
      multiply.accumulate = dt > 0;
      program.push_back(load);
      program.push_back(multiply);
    }
    auto store = make(Opcode::kStore, shape_.dtype_c, shape_.rows, 0, columns, layout_.begin_c + ct * layout_.stride_c);
    store.abank = ct % golden::tensor::kBanks;
    program.push_back(store);
  }
  return program;
}

std::uint32_t Gemm::expected(unsigned row, unsigned column) const {
  std::uint32_t sum = 0;
  for (unsigned d = 0; d < shape_.depth; ++d) {
    const auto a = golden::fp::widen(static_cast<golden::fp::Format>(shape_.dtype_a), a_[row * shape_.depth + d]).bits;
    const auto b =
        golden::fp::widen(static_cast<golden::fp::Format>(shape_.dtype_b), b_[d * shape_.columns + column]).bits;
    sum = golden::fp::fma(a, b, sum).bits;
  }
  const golden::fp::Narrowing how{static_cast<golden::fp::Format>(shape_.dtype_c), golden::fp::Rounding::kNearestEven,
                                  golden::fp::Overflow::kInfinity};
  return golden::fp::narrow(how, sum, 0).bits;
}

void Gemm::check(TensorBench& bench) const {
  const unsigned bytes = element_bytes(shape_.dtype_c);
  const std::uint64_t mask = (std::uint64_t{1} << (8 * bytes)) - 1;
  for (unsigned c = 0; c < shape_.columns; ++c) {
    const unsigned begin = layout_.begin_c + c / array_.cols * layout_.stride_c;
    const auto words = bench.bus.read_words(c % array_.cols, begin / 8, layout_.stride_c / 8);
    for (unsigned r = 0; r < shape_.rows; ++r)
      ASSERT_EQ(words.at(r * bytes / 8) >> (8 * (r * bytes % 8)) & mask, expected(r, c))
          << "row " << r << ", column " << c;
  }
}

}  // namespace tb::blocks::tensor
