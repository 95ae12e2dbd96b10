#include <gtest/gtest.h>

#include <iostream>

#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {
namespace {

/// One long chain: tiles of 128 vectors that add to the same entries, stationary elements loaded behind the product's
/// back.
void submit_chain(TensorBench& bench, unsigned dtype, bool double_row, unsigned tiles) {
  const auto [rows, cols] = bench.shape();
  const unsigned pair = double_row ? 2 : 1;
  const unsigned vectors = 128 * pair * golden::tensor::element_bytes(dtype);
  const unsigned places = (golden::tensor::kPartitionBytes - 1024) / vectors;
  for (unsigned t = 0; t < tiles; ++t) {
    auto load = make(Opcode::kLoad, dtype, 0, pair * rows, cols, golden::tensor::kPartitionBytes - 1024 + t % 8 * 128);
    auto multiply = make(Opcode::kMultiply, dtype, 128, pair * rows, cols, t % places * vectors);
    load.double_row = multiply.double_row = double_row;
    load.sbank = multiply.sbank = t % 2;
    load.signal = multiply.signal = true;
    load.signal_sem = multiply.wait_sem = t % 2;
    load.wait_sem = multiply.signal_sem = 2 + t % 2;
    load.wait_count = t < 2 ? 0 : 1;
    multiply.wait_count = 1;
    multiply.accumulate = t > 0;
    bench.submit(load);
    bench.submit(multiply);
  }
}

struct Chain {
  const char* name;
  unsigned dtype;
  bool double_row;
};
void PrintTo(const Chain& chain, std::ostream* out) { *out << chain.name; }

class TensorRate : public testing::TestWithParam<Chain> {};

TEST_P(TensorRate, ALongChainKeepsTheArrayBusy) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(3000);
  bench.registers.write("tensor.command.clear_counters", 1);
  bench.activity.begin();
  submit_chain(bench, GetParam().dtype, GetParam().double_row, 32);
  bench.finish();
  const std::uint64_t active = bench.counter("active");
  const std::uint64_t held = bench.counter("wait_semaphore") + bench.counter("wait_stationary") +
                             bench.counter("wait_accumulator") + bench.counter("throttled_idle");
  const double counted = static_cast<double>(active) / static_cast<double>(active + held);
  std::cout << "  " << GetParam().name << ": " << active << " vectors, held " << held
            << " cycles, utilisation by counters " << counted << ", from first to last vector "
            << bench.activity.utilisation() << "\n";
  EXPECT_EQ(active, 32U * 128U);
  EXPECT_EQ(bench.activity.cycles().size(), active);
  EXPECT_GE(counted, 0.995);
  EXPECT_GE(bench.activity.utilisation(), 0.995);
  EXPECT_EQ(bench.registers.read("tensor.flags"), bench.model().flags());
}

INSTANTIATE_TEST_SUITE_P(Each, TensorRate,
                         testing::Values(Chain{"fp32", 0, false}, Chain{"bf16", 2, false}, Chain{"fp8_e4m3", 3, false},
                                         Chain{"fp8_double_row", 3, true}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(TensorPace, ALimitHoldsWhileItsReasonDoes) {
  TensorBench& bench = TensorBench::instance();
  const auto [rows, cols] = bench.shape();
  struct Case {
    unsigned reason;  // bit of the pins; its limit is one higher
    unsigned run;
    unsigned period;
  };
  for (const Case& c : {Case{0, 1, 4}, Case{1, 2, 3}, Case{2, 5, 7}, Case{2, 9, 9}}) {
    bench.restart(3100);
    bench.registers.write("tensor.limit[" + std::to_string(c.reason + 1) + "]", c.run | c.period << 8U);
    bench.block.dut().throttle_i = (1U << c.reason) & 7U;
    bench.block.cycle(4);
    EXPECT_EQ(bench.registers.read("tensor.limited"), 2U << c.reason);
    bench.activity.begin();
    bench.submit(make(Opcode::kLoad, 0, 0, rows, cols, 0));
    bench.finish();
    bench.submit(make(Opcode::kMultiply, 0, 128, rows, cols, 256));
    bench.finish();
    const auto& cycles = bench.activity.cycles();
    ASSERT_EQ(cycles.size(), 128U);
    const std::uint64_t least = (127 * c.period + c.run - 1) / c.run;
    EXPECT_GE(bench.activity.span(), least);
    EXPECT_LE(bench.activity.span(), least + c.period);
    // In no window of a period more than `run`.
    for (std::size_t i = 0; i + c.run < cycles.size(); ++i) ASSERT_GE(cycles[i + c.run] - cycles[i], c.period) << i;
    EXPECT_EQ(bench.counter("throttled_active"), 128U);
    EXPECT_EQ(bench.counter("throttled_idle"), bench.activity.span() - 128);
  }
}

TEST(TensorPace, NoVectorGoesWhileALimitOfNoneHolds) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(3200);
  bench.submit(make(Opcode::kLoad, 0, 0, 1, 1, 0));
  bench.finish();
  bench.registers.write("tensor.limit[3]", 4U << 8U);
  bench.block.dut().throttle_i = 4;
  bench.block.cycle(4);
  bench.activity.begin();
  bench.submit(make(Opcode::kMultiply, 0, 16, 1, 1, 256));
  bench.block.cycle(300);
  EXPECT_TRUE(bench.activity.cycles().empty());
  bench.block.dut().throttle_i = 0;
  bench.finish();
  EXPECT_EQ(bench.activity.cycles().size(), 16U);
}

TEST(TensorPace, CurrentRisesInTwoStepsAfterRest) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(3300);
  bench.registers.write("tensor.ramp", 40U | 24U << 8U);
  bench.submit(make(Opcode::kLoad, 0, 0, 1, 1, 0));
  bench.finish();
  bench.activity.begin();
  bench.submit(make(Opcode::kMultiply, 0, 100, 1, 1, 256));
  bench.submit(make(Opcode::kMultiply, 0, 100, 1, 1, 256 + 1024));
  bench.finish();
  const auto& cycles = bench.activity.cycles();
  ASSERT_EQ(cycles.size(), 200U);
  for (std::size_t i = 1; i < cycles.size(); ++i) {
    const bool rising = cycles[i] - cycles.front() <= 24;
    ASSERT_EQ(cycles[i] - cycles[i - 1], rising ? 2U : 1U) << "vector " << i;
  }
}

TEST(TensorPace, RestIsAsLongAsItIsSaid) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(3400);
  bench.registers.write("tensor.ramp", 40U | 24U << 8U);
  bench.submit(make(Opcode::kLoad, 0, 0, 1, 1, 0));
  bench.finish();
  bench.activity.begin();
  unsigned rested = 0;
  for (unsigned pause = 20; pause < 60; ++pause) {
    bench.submit(make(Opcode::kMultiply, 0, 30, 1, 1, 256));
    const std::size_t due = bench.activity.cycles().size() + 30;
    ASSERT_TRUE(bench.block.cycle_until([&] { return bench.activity.cycles().size() == due; }, 200));
    bench.block.cycle(pause);
    if (pause == 20) continue;
    const std::uint64_t* vector = &bench.activity.cycles().at(due - 31);
    const bool rest = vector[1] - vector[0] - 1 >= 40;
    rested += rest ? 1 : 0;
    EXPECT_EQ(vector[2] - vector[1], rest ? 2U : 1U) << "after " << vector[1] - vector[0] - 1 << " cycles";
  }
  EXPECT_GT(rested, 0U);
  EXPECT_LT(rested, 39U);
}

TEST(TensorRate, StoresWaitWhileProductsTakeThePortEachCycle) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(3500);
  const auto [rows, cols] = bench.shape();
  bench.submit(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  bench.finish();
  auto multiply = make(Opcode::kMultiply, 0, 128, rows, cols, 256);
  bench.submit(multiply);
  bench.finish();
  bench.submit(make(Opcode::kStore, 0, 128, 0, cols, 1024));
  // A product of one vector reads a word for it.
  multiply.n = 1;
  multiply.abank = 1;
  for (multiply.entry = 0; multiply.entry < 127; ++multiply.entry) bench.submit(multiply);
  bench.finish();
  bench.expect_stored();
}

}  // namespace
}  // namespace tb::blocks::tensor
