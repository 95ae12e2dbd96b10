// What the engine shares with others: the scratchpad's place on the bus, and semaphores.
#include <gtest/gtest.h>

#include <iostream>
#include <utility>

#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {
namespace {

using golden::axi::Response;
using golden::axi::WriteBeat;

class TensorSeams : public testing::Test {
 protected:
  void SetUp() override { bench.restart(8000); }
  static std::uint64_t byte_of(unsigned partition, unsigned word) {
    return std::uint64_t{partition} * 16384 + std::uint64_t{word} * 8;
  }
  std::vector<WriteBeat> beats(unsigned count) {
    std::vector<WriteBeat> out;
    for (unsigned i = 0; i < count; ++i) out.push_back({bench.dice().bits(), 0xff, i + 1 == count});
    return out;
  }
  bool quiet() {
    AxiManagerAgent& axi = bench.bus.axi;
    return bench.block.cycle_until([&] { return axi.open() + axi.waiting() == 0; }, 5000);
  }
  TensorBench& bench = TensorBench::instance();
};

TEST_F(TensorSeams, TheBusMovesABeatACycleEachWay) {
  AxiManagerAgent& axi = bench.bus.axi;
  constexpr unsigned kBursts = 32;
  for (const auto& [reads, writes] : {std::pair{true, false}, std::pair{false, true}, std::pair{true, true}}) {
    for (unsigned i = 0; i < kBursts; ++i) {
      if (writes) axi.write({1, byte_of(0, i * 16), 15}, beats(16), i);
      if (reads) axi.read({2, byte_of(1, i * 16), 15}, i);
    }
    const std::uint64_t begin = bench.block.cycles();
    ASSERT_TRUE(quiet());
    const double rate = kBursts * 16.0 / static_cast<double>(bench.block.cycles() - begin);
    std::cout << (reads ? "reads " : "") << (writes ? "writes " : "") << rate << " beats a cycle each\n";
    EXPECT_GT(rate, 0.95);
  }
  for (const auto& text : axi.checker().violations()) ADD_FAILURE() << text;
}

TEST_F(TensorSeams, ReadsAndWritesOfOnePartitionTakeTurns) {
  AxiManagerAgent& axi = bench.bus.axi;
  Dice& dice = bench.dice();
  axi.finished_reads.clear();
  for (unsigned i = 0; i < 100; ++i) {
    std::vector<WriteBeat> words;
    for (unsigned b = 0; b < 4; ++b) {
      const unsigned strobes = dice.below(3) == 0 ? 0xffU : dice.below(256);
      words.push_back({dice.bits(), static_cast<std::uint8_t>(strobes), b == 3});
      std::uint64_t mask = 0;
      for (unsigned byte = 0; byte < 8; ++byte)
        if (((strobes >> byte) & 1U) != 0) mask |= std::uint64_t{0xff} << (8 * byte);
      const unsigned word = i * 4 + b;
      bench.model().set_word(0, word, (bench.model().word(0, word) & ~mask) | (words[b].data & mask));
    }
    axi.write({1, byte_of(0, i * 4), 3}, words, i);
    axi.read({2, byte_of(0, 1024 + i * 4), 3}, i);
  }
  ASSERT_TRUE(quiet());
  EXPECT_EQ(axi.finished_reads.size(), 100U);
  for (const auto& burst : axi.finished_reads)
    for (unsigned b = 0; b < 4; ++b)
      EXPECT_EQ(burst.answers.at(b).data, bench.model().word(0, 1024 + burst.tag * 4 + b));
  bench.expect_everything();
}

TEST_F(TensorSeams, ABurstThatLeavesTheScratchpadIsRefused) {
  AxiManagerAgent& axi = bench.bus.axi;
  axi.finished_reads.clear();
  axi.finished_writes.clear();
  const unsigned last = bench.shape().partitions() - 1;
  axi.write({1, byte_of(last, 2044), 7}, beats(8), 1);
  axi.read({2, byte_of(last, 2044), 7}, 2);
  ASSERT_TRUE(quiet());
  EXPECT_EQ(axi.finished_writes.at(0).response.resp, Response::slverr);
  for (unsigned b = 0; b < 8; ++b)
    EXPECT_EQ(axi.finished_reads.at(0).answers.at(b).resp, b < 4 ? Response::okay : Response::slverr);
}

/// The DMA engines' side: what one asks in a cycle is answered in the next.
class TensorSemaphores : public TensorSeams {
 protected:
  void give(unsigned engine, unsigned sem) {
    auto& dut = bench.block.dut();
    dut.sem_give_i = static_cast<std::uint8_t>(1U << engine);
    dut.sem_give_sem_i = static_cast<std::uint8_t>(sem << (4 * engine));
    bench.block.cycle();
    dut.sem_give_i = 0;
    bench.block.cycle();
  }
  /// Both may ask at once; answers a bit each.
  unsigned attempt(unsigned engines, unsigned sem, unsigned count) {
    auto& dut = bench.block.dut();
    dut.sem_attempt_i = static_cast<std::uint8_t>(engines);
    dut.sem_attempt_sem_i = static_cast<std::uint8_t>(sem | sem << 4U);
    dut.sem_count_i = static_cast<std::uint8_t>(count | count << 4U);
    bench.block.cycle();
    dut.sem_attempt_i = 0;
    const unsigned taken = dut.sem_taken_o;
    bench.block.cycle();
    EXPECT_EQ(dut.sem_taken_o, 0U) << "an answer is one cycle long";
    return taken;
  }
};

TEST_F(TensorSemaphores, EnginesTakeWhatIsThereInTheirOrder) {
  EXPECT_EQ(attempt(3, 4, 1), 0U);
  for (unsigned i = 0; i < 3; ++i) give(i % 2, 4);
  EXPECT_EQ(bench.registers.read("tensor.semaphores[4]"), 3U);
  EXPECT_EQ(attempt(2, 4, 4), 0U);
  EXPECT_EQ(attempt(3, 4, 2), 1U) << "engine 0 goes first";
  EXPECT_EQ(bench.registers.read("tensor.semaphores[4]"), 1U);
  EXPECT_EQ(attempt(3, 4, 1), 1U);
  EXPECT_EQ(attempt(3, 4, 1), 0U);
  give(1, 4);
  give(1, 4);
  EXPECT_EQ(attempt(3, 4, 1), 3U);
}

TEST_F(TensorSemaphores, UnitsTakeBeforeEnginesAndSignalThem) {
  auto load = make(Opcode::kLoad, 0, 0, 1, 1, 0);
  load.wait_sem = 4;
  load.wait_count = 2;
  load.signal = true;
  load.signal_sem = 5;
  bench.submit(load);
  bench.block.cycle(50);
  give(0, 4);
  EXPECT_EQ(attempt(2, 4, 2), 0U);
  give(0, 4);
  bench.finish();
  EXPECT_EQ(attempt(1, 4, 1), 0U) << "the load has taken both";
  EXPECT_EQ(attempt(1, 5, 1), 1U);
}

TEST_F(TensorSemaphores, OneThatOverflowsIsAnErrorWithoutATag) {
  for (unsigned i = 0; i < 255; ++i) give(i % 2, 9);
  EXPECT_EQ(bench.registers.read("tensor.error"), 0U);
  give(1, 9);
  bench.expect_reported({ErrorCode::kSemaphoreOverflow, 0, 9});
  EXPECT_EQ(bench.registers.read("tensor.semaphores[9]"), 255U);
  bench.clear_error();
  EXPECT_EQ(bench.registers.read("tensor.semaphores[9]"), 0U);
}

TEST_F(TensorSemaphores, EnginesAreAnsweredWhenTheClockStoodStill) {
  bench.block.cycle(3000);
  give(1, 2);
  bench.block.cycle(3000);
  EXPECT_EQ(attempt(1, 2, 1), 1U);
  bench.block.cycle(3000);
  EXPECT_EQ(attempt(1, 2, 1), 0U);
}

}  // namespace
}  // namespace tb::blocks::tensor
