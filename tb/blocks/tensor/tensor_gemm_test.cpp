#include <gtest/gtest.h>

#include <iostream>

#include "tb/blocks/tensor/gemm.h"
#include "tb/blocks/tensor/program_order.h"

namespace tb::blocks::tensor {
namespace {

GemmShape draw(Dice& dice, const golden::tensor::Shape& array) {
  for (;;) {
    GemmShape shape;
    shape.rows = 1 + dice.below(dice.coin() ? 16 : golden::tensor::kEntries);
    shape.depth = 1 + dice.below(8 * array.rows);
    shape.columns = 1 + dice.below(3 * array.cols);
    shape.dtype_a = dice.below(5);
    shape.dtype_b = dice.below(5);
    shape.dtype_c = dice.below(5);
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
  for (unsigned round = 0; round < 25 && !testing::Test::HasFailure(); ++round) {
    const GemmShape shape = draw(bench.dice(), bench.shape());
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
