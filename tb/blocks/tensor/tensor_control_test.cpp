#include <gtest/gtest.h>

#include "tb/blocks/register_walk.h"
#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {
namespace {

/// Hands an instruction over by the registers.
void issue(TensorBench& bench, const Instruction& i) {
  const auto words = golden::tensor::encode(i);
  for (std::size_t w = 0; w < words.size(); ++w)
    bench.registers.write("tensor.instruction[" + std::to_string(w) + "]", words.at(w));
  bench.registers.write("tensor.command.issue", 1);
}

TEST(TensorControl, RegistersHoldWhatTheyAreSaidTo) {
  TensorBench& bench = TensorBench::instance();
  bench.block.reset();
  for (const std::string& wrong : walk_registers(bench.registers, "tensor", seed())) ADD_FAILURE() << wrong;
}

TEST(TensorControl, ProductsComeByTheRegistersToo) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(5000);
  const auto [rows, cols] = bench.shape();
  std::uint32_t tag = 100;
  for (auto i : {make(Opcode::kLoad, 1, 0, rows, cols, 0), make(Opcode::kMultiply, 1, 9, rows, cols, 256),
                 make(Opcode::kStore, 0, 9, 0, cols, 512)}) {
    i.tag = tag++;
    EXPECT_EQ(bench.model().execute(i), std::nullopt);
    issue(bench, i);
    bench.finish();
  }
  for (unsigned u = 0; u < 3; ++u)
    EXPECT_EQ(bench.registers.read("tensor.retired[" + std::to_string(u) + "]"), 100 + u);
  EXPECT_EQ(bench.counter("instructions"), 3U);
  bench.expect_everything();
}

TEST(TensorControl, TheHostTakesPartInSemaphores) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(5100);
  auto load = make(Opcode::kLoad, 0, 0, 1, 1, 0);
  load.wait_sem = 15;
  load.wait_count = 3;
  load.signal = true;
  load.signal_sem = 14;
  bench.submit(load);
  for (unsigned i = 0; i < 3; ++i) {
    bench.block.cycle(100);
    EXPECT_EQ(bench.registers.read("tensor.status.idle"), 0U);
    EXPECT_EQ(bench.registers.read("tensor.semaphores[15]"), i);
    bench.registers.write("tensor.signal", 15);
  }
  bench.finish();
  EXPECT_EQ(bench.registers.read("tensor.semaphores[15]"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.semaphores[14]"), 1U);
}

TEST(TensorControl, HaltEndsAProgramUntilResumed) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(5200);
  bench.registers.write("tensor.irq_mask", 1);
  auto load = make(Opcode::kLoad, 0, 0, 1, 1, 0);
  load.signal = true;
  auto multiply = make(Opcode::kMultiply, 0, 128, 1, 1, 0);
  multiply.wait_count = 1;
  bench.submit(load);
  bench.submit(multiply);
  bench.submit(make(Opcode::kHalt, 0, 0, 0, 0, 0));
  bench.submit(make(Opcode::kLoad, 0, 0, 1, 1, 64));
  ASSERT_TRUE(bench.block.cycle_until([&] { return bench.block.dut().irq_o != 0; }, 1000));
  EXPECT_EQ(bench.counter("instructions"), 2U);
  bench.block.cycle(100);
  EXPECT_FALSE(bench.instructions.empty());
  EXPECT_EQ(bench.registers.read("tensor.status.ended"), 1U);
  EXPECT_EQ(bench.counter("instructions"), 2U);
  bench.registers.write("tensor.irq_status", 1);
  bench.registers.write("tensor.command.resume", 1);
  bench.finish();
  EXPECT_EQ(bench.registers.read("tensor.status.ended"), 0U);
  EXPECT_EQ(bench.counter("instructions"), 3U);
  EXPECT_EQ(bench.block.dut().irq_o, 0);
}

TEST(TensorControl, ElapsedCountsAProgramThatWasStartedBehindAHalt) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(5250);
  bench.submit(make(Opcode::kHalt, 0, 0, 0, 0, 0));
  bench.finish();
  EXPECT_EQ(bench.counter("elapsed"), 0U) << "it came by neither of the two commands";
  bench.fetch(0, {make(Opcode::kLoad, 0, 0, 1, 1, 0), make(Opcode::kHalt, 0, 0, 0, 0, 0)});
  bench.block.cycle(500);
  bench.registers.write("tensor.command.resume", 1);
  ASSERT_TRUE(bench.block.cycle_until([&] { return bench.counter("instructions") == 1; }, 1000));
  bench.finish();
  const std::uint64_t elapsed = bench.counter("elapsed");
  EXPECT_GE(elapsed, 500U);
  EXPECT_LE(elapsed, 1000U);
  bench.block.cycle(100);
  EXPECT_EQ(bench.counter("elapsed"), elapsed) << "the program has ended";
}

TEST(TensorControl, ClearingHoldsUntilWhatIsUnderWayHasEnded) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(5260);
  const auto [rows, cols] = bench.shape();
  bench.submit(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  bench.submit(make(Opcode::kMultiply, 0, 128, rows, cols, 256));
  bench.finish();
  // An error while a long store is under way.
  auto store = make(Opcode::kStore, 0, 128, 0, cols, 1024);
  bench.submit(store);
  ASSERT_TRUE(bench.block.cycle_until([&] { return bench.registers.read("tensor.status.store_busy") != 0; }, 1000));
  bench.instructions.push(make(Opcode::kLoad, 7, 0, 1, 1, 0));
  ASSERT_TRUE(bench.block.cycle_until([&] { return bench.registers.read("tensor.status.error") != 0; }, 100));
  ASSERT_EQ(bench.registers.read("tensor.status.store_busy"), 1U);
  bench.instructions.drop();
  bench.registers.write("tensor.command.clear", 1);
  while (bench.registers.read("tensor.status.clearing") != 0) {
    const std::uint32_t error = bench.registers.read("tensor.error");
    if (bench.registers.read("tensor.status.store_busy") != 0) {
      EXPECT_EQ(error, 2U);
    }
  }
  EXPECT_EQ(bench.registers.read("tensor.status.store_busy"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.error"), 0U);
  bench.expect_stored();
}

TEST(TensorControl, NothingIsHandedOutWhileDisabledAndASecondIssueIsRefused) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(5300);
  bench.registers.write("tensor.ctrl.enable", 0);
  const auto load = make(Opcode::kLoad, 0, 0, 1, 1, 0);
  issue(bench, load);
  EXPECT_EQ(bench.registers.read("tensor.status.room"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.irq_status.refused"), 0U);
  issue(bench, load);
  EXPECT_EQ(bench.registers.read("tensor.irq_status.refused"), 1U);
  EXPECT_EQ(bench.counter("instructions"), 0U);
  bench.registers.write("tensor.ctrl.enable", 1);
  bench.finish();
  EXPECT_EQ(bench.counter("instructions"), 1U);
}

TEST(TensorControl, ProductsWaitForEntriesOnTheirWay) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(5400);
  const auto [rows, cols] = bench.shape();
  bench.submit(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  bench.finish();
  auto multiply = make(Opcode::kMultiply, 0, 2, rows, cols, 256);
  for (unsigned i = 0; i < 6; ++i) {
    bench.submit(multiply);
    multiply.accumulate = true;
  }
  bench.finish();
  EXPECT_GT(bench.counter("wait_accumulator"), 5 * 3 * rows - 20);
  bench.submit(make(Opcode::kStore, 0, 2, 0, cols, 512));
  bench.finish();
  bench.expect_stored();
}

TEST(TensorControl, LoadsAndProductsOfOneBankWaitForEachOtherOnceBegun) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(5600);
  const auto [rows, cols] = bench.shape();
  // No semaphores, but time for the one in front to begin.
  const auto submit = [&bench](const Instruction& i) {
    bench.submit(i);
    ASSERT_TRUE(bench.block.cycle_until([&] { return bench.instructions.empty(); }, 100));
    bench.block.cycle(3);
  };
  submit(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  submit(make(Opcode::kMultiply, 0, 64, rows, cols, 256));
  EXPECT_GT(bench.counter("wait_stationary"), 0U);
  submit(make(Opcode::kLoad, 0, 0, rows, cols, 64));
  bench.block.cycle(4);
  EXPECT_EQ(bench.registers.read("tensor.status.load_busy"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.status.multiply_busy"), 1U);
  bench.finish();
  auto second = make(Opcode::kMultiply, 0, 64, rows, cols, 256);
  second.abank = 1;
  submit(second);
  bench.finish();
  for (unsigned b = 0; b < 2; ++b) {
    auto store = make(Opcode::kStore, 0, 64, 0, cols, 1024 + 512 * b);
    store.abank = b;
    submit(store);
  }
  bench.finish();
  bench.expect_stored();
}

struct Limit {
  unsigned run;
  unsigned period;
};
constexpr Limit kTight{1, 5};
constexpr Limit kLoose{2, 3};

void set_limit(TensorBench& bench, unsigned pin, const Limit& limit) {
  bench.registers.write("tensor.limit[" + std::to_string(pin + 1) + "]", limit.run | limit.period << 8U);
}

/// Raises pin `first` before a product of 128 vectors and pin `second` in the middle of it.
void expect_tighter(TensorBench& bench, unsigned first, unsigned second, bool tight_first) {
  constexpr unsigned kVectors = 128;
  const Limit& alone = tight_first ? kTight : kLoose;
  set_limit(bench, first, alone);
  set_limit(bench, second, tight_first ? kLoose : kTight);
  bench.block.dut().throttle_i = (1U << first) & 7U;
  bench.block.cycle(4);
  EXPECT_EQ(bench.registers.read("tensor.limited"), 2U << first);
  bench.activity.begin();
  bench.submit(make(Opcode::kMultiply, 0, kVectors, bench.shape().rows, bench.shape().cols, 256));
  const auto& cycles = bench.activity.cycles();
  ASSERT_TRUE(bench.block.cycle_until([&] { return cycles.size() >= kVectors / 4; }, 1000));
  bench.block.dut().throttle_i = (1U << first | 1U << second) & 7U;
  bench.block.cycle(4);
  EXPECT_EQ(bench.registers.read("tensor.limited"), 2U << first | 2U << second);
  const std::size_t both = cycles.size();
  ASSERT_LT(both, kVectors / 2);
  bench.finish();
  ASSERT_EQ(cycles.size(), kVectors);
  EXPECT_LE(cycles[kVectors / 4 - 1] - cycles[0], kVectors / 4 * alone.period / alone.run);
  for (std::size_t i = both; i + 1 < kVectors; ++i) ASSERT_EQ(cycles[i + 1] - cycles[i], kTight.period) << i;
  EXPECT_EQ(bench.counter("throttled_active"), kVectors);
  EXPECT_EQ(bench.counter("throttled_idle"), bench.activity.span() - kVectors);
}

TEST(TensorControl, OfTwoReasonsTheTighterLimitHolds) {
  TensorBench& bench = TensorBench::instance();
  constexpr unsigned kPins = 3;  // power, thermal, external
  for (unsigned first = 0; first < kPins; ++first)
    for (unsigned second = 0; second < kPins; ++second)
      for (const bool tight_first : {true, false}) {
        if (first == second) continue;
        SCOPED_TRACE(testing::Message() << first << " then " << second << ", the tight one first: " << tight_first);
        bench.restart(5700);
        bench.submit(make(Opcode::kLoad, 0, 0, bench.shape().rows, bench.shape().cols, 0));
        bench.finish();
        expect_tighter(bench, first, second, tight_first);
      }
}

TEST(TensorControl, ThePartitionsOfTheScratchpadAreOrdinaryMemoryToTheBus) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(5500);
  Dice& dice = bench.dice();
  for (unsigned i = 0; i < 200; ++i) {
    const unsigned partition = dice.below(bench.shape().partitions());
    const unsigned word = dice.below(8);
    const unsigned strobes = dice.below(256);
    const std::uint64_t data = dice.bits();
    std::uint64_t merged = bench.model().word(partition, word);
    for (unsigned b = 0; b < 8; ++b) {
      const std::uint64_t mask = std::uint64_t{0xff} << (8 * b);
      if ((strobes >> b) % 2 != 0) merged = (merged & ~mask) | (data & mask);
    }
    ASSERT_FALSE(bench.bus.write(partition, word, data, strobes).error);
    bench.model().set_word(partition, word, merged);
    ASSERT_EQ(bench.bus.read(partition, word).data, merged);
  }
  if (bench.shape().partitions() < 16) {
    EXPECT_TRUE(bench.bus.read(15, 0).error);
    EXPECT_TRUE(bench.bus.write(15, 0, 0).error);
  }
}

}  // namespace
}  // namespace tb::blocks::tensor
