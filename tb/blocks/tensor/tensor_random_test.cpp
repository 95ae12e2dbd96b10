#include <gtest/gtest.h>

#include <ostream>

#include "tb/blocks/tensor/program_order.h"
#include "tb/blocks/tensor/random_program.h"
#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {
namespace {

/// How the world around the engine behaves.
struct Manners {
  const char* name;
  unsigned gaps;      // longest pause between instructions
  bool bus;           // takes the scratchpad's ports where it may
  unsigned throttle;  // reasons, a bit each
  unsigned programs;
  unsigned scrub;  // cycles from word to word, 0: off
};
void PrintTo(const Manners& manners, std::ostream* out) { *out << manners.name; }

std::string listing(const ProgramOrder& order) {
  std::string text;
  for (const Instruction& i : order.program()) text += "\n  " + golden::tensor::describe(i);
  return text;
}

class TensorRandom : public testing::TestWithParam<Manners> {};

TEST_P(TensorRandom, ProgramsGiveTheModelsBits) {
  const Manners& manners = GetParam();
  TensorBench& bench = TensorBench::instance();
  bench.restart(1000 + manners.gaps * 2 + manners.throttle);
  RandomProgram draws(bench.shape(), bench.dice());
  for (unsigned p = 0; p < bench.shape().partitions(); ++p)
    for (unsigned w = 0; w < golden::tensor::kPartitionWords; ++w) bench.set_word(p, w, draws.word(w));
  for (unsigned c = 0; c < bench.shape().cols; ++c) bench.set_generator(c, bench.dice().word());
  bench.instructions.set_gaps(manners.gaps, bench.dice().bits());
  bench.block.dut().throttle_i = manners.throttle & 7U;
  bench.registers.write("tensor.scrub", manners.scrub);

  Instruction carried = draws.next();
  for (unsigned program = 0; program < manners.programs; ++program) {
    ProgramOrder order;
    while (order.program().size() < 40 && order.add(carried)) carried = draws.next();
    bench.bus.disturb(manners.bus, bench.dice().bits());
    for (const Instruction& i : order.program()) ASSERT_NO_FATAL_FAILURE(bench.submit(i));
    ASSERT_NO_FATAL_FAILURE(bench.finish()) << "program " << program << listing(order);
    bench.bus.disturb(false, 1);
    ASSERT_NO_FATAL_FAILURE(bench.expect_stored()) << "program " << program << listing(order);
  }
  bench.expect_everything();
}

INSTANTIATE_TEST_SUITE_P(Manners, TensorRandom,
                         testing::Values(Manners{"free", 0, false, 0, 40, 0}, Manners{"busy_bus", 0, true, 0, 20, 0},
                                         Manners{"slow_program", 9, false, 0, 10, 2},
                                         Manners{"throttled", 2, true, 5, 10, 1}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace tb::blocks::tensor
