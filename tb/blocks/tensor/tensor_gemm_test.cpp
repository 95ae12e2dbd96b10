#include <gtest/gtest.h>

#include <iostream>

#include "tb/blocks/tensor/gemm.h"
#include "tb/blocks/tensor/program_order.h"
#include "tests/support/random_part.h"

namespace tb::blocks::tensor {
namespace {

/// Every combination of formats comes up in 125 rounds; one in eight products is large.
GemmShape draw(std::uint64_t round, Dice& dice, const golden::tensor::Shape& array) {
  const bool large = dice.one_in(8);
  const auto format = [round](unsigned divisor) { return static_cast<unsigned>(round / divisor % 5); };
  for (;;) {
    GemmShape shape;
    shape.rows = 1 + dice.below(large ? golden::tensor::kEntries : 16);
    shape.depth = 1 + dice.below((large ? 8 : 3) * array.rows);
    shape.columns = 1 + dice.below((large ? 3 : 2) * array.cols);
    shape.dtype_a = format(1);
    shape.dtype_b = format(5);
    shape.dtype_c = format(25);
    shape.double_row = shape.dtype_a >= 3 && shape.dtype_b >= 3 && dice.coin();
    if (Gemm::fits(array, shape)) return shape;
  }
}

/// Submits a program in as few parts as its semaphores allow.
void run(TensorBench& bench, const std::vector<Instruction>& program) {
  ProgramOrder order;
  const auto flush = [&] {
    for (const Instruction& i : order.program()) bench.submit(i);
    bench.finish();
    order = {};
  };
  for (const Instruction& i : program) {
    if (order.add(i)) continue;
    flush();
    order.add(i);
  }
  flush();
}

TEST(TensorGemm, AnyShapeAndFormatIsTheChainOfTheSpecification) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(2000);
  // A cycle of the largest array takes as long as many of Tern's.
  const std::uint64_t rounds = firstlight::test::cases(bench.shape().rows * bench.shape().cols > 64 ? 10 : 200);
  for (std::uint64_t round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    const GemmShape shape = draw(round, bench.dice(), bench.shape());
    SCOPED_TRACE(testing::Message() << "round " << round << ": " << shape.rows << " x " << shape.depth << " x "
                                    << shape.columns << ", formats " << shape.dtype_a << shape.dtype_b << shape.dtype_c
                                    << (shape.double_row ? ", double-row" : ""));
    const Gemm gemm(bench.shape(), shape, bench.dice());
    gemm.place(bench);
    bench.bus.disturb(round % 3 == 0, bench.dice().bits());
    run(bench, gemm.program());
    bench.bus.disturb(false, 1);
    ASSERT_NO_FATAL_FAILURE(gemm.check(bench));
  }
  bench.expect_everything();
}

}  // namespace
}  // namespace tb::blocks::tensor
