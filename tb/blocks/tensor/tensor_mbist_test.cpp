// The memory test of the engine's arrays against faults of every class, and what repair makes of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tb/blocks/mem/fault_list.h"
#include "tb/blocks/tensor/gemm.h"
#include "tb/blocks/tensor/tensor_bench.h"
#include "tests/support/random_part.h"

namespace tb::blocks::tensor {
namespace {

using mem::fault_list;
using mem::faulty_memory;
using mem::kAllBackgrounds;
using mem::kSolidBackground;
using mem::ListedFault;
using mem::MemoryFault;
using mem::words_of;
using Kind = MemoryFault::Kind;

constexpr unsigned kSpares = 4;
constexpr unsigned kBanks = 4;
constexpr unsigned kEntries = 128;
constexpr unsigned kBankSpares = 2;
constexpr unsigned kWordBits = 72;
constexpr unsigned kEntryBits = 32;
constexpr unsigned kMostRounds = 4;
enum class Array : unsigned { scratchpad, accumulators };

mem::FaultyMemory& partition(unsigned p) { return faulty_memory(fmt::format("gen_partition[{}]", p)); }
mem::FaultyMemory& bank(unsigned column, unsigned b) {
  return faulty_memory(fmt::format("gen_column[{}].u_column.gen_bank[{}].", column, b));
}

class TensorMbist : public testing::Test {
 protected:
  void SetUp() override {
    mem::heal_faulty_memories();
    bench.restart(12000);
  }
  void TearDown() override { mem::heal_faulty_memories(); }

  void start(Array array, unsigned backgrounds = kSolidBackground, bool repair = false) {
    // All fields at once: `backgrounds` and the rest are looked at when the test starts.
    bench.registers.write("tensor.mbist",
                          1U | static_cast<unsigned>(array) << 4U | backgrounds << 16U | (repair ? 1U : 0U) << 20U);
  }
  /// Runs a test to its end. True when it passed.
  bool test(Array array, unsigned backgrounds = kSolidBackground, bool repair = false) {
    start(array, backgrounds, repair);
    EXPECT_EQ(bench.registers.read("tensor.mbist.busy"), 1U);
    while (bench.registers.read("tensor.mbist.busy") != 0) bench.block.cycle(1000);
    EXPECT_EQ(bench.registers.read("tensor.mbist.done"), 1U);
    EXPECT_EQ(bench.registers.read("tensor.irq_status.refused"), 0U);
    return bench.registers.read("tensor.mbist.fail") == 0;
  }
  unsigned used(const std::string& map, unsigned rows) {
    unsigned count = 0;
    for (unsigned s = 0; s < rows; ++s) count += bench.registers.read(fmt::format("tensor.{}[{}].enable", map, s));
    return count;
  }
  bool exhausted() { return bench.registers.read("tensor.repair_status.exhausted") != 0; }
  /// A reset, and the maps are empty.
  void fresh(mem::FaultyMemory& memory, const MemoryFault& fault) {
    mem::heal_faulty_memories();
    memory.become({fault});
    bench.block.reset();
  }
  /// The words of all partitions hold what is written, without a wrong bit.
  void expect_holds(const std::set<unsigned>& words) {
    for (const unsigned word : words)
      for (unsigned p = 0; p < partitions; ++p) EXPECT_FALSE(bench.bus.write(p, word, value(p, word)).error);
    for (const unsigned word : words)
      for (unsigned p = 0; p < partitions; ++p) {
        const auto answer = bench.bus.read(p, word);
        EXPECT_FALSE(answer.error) << "partition " << p << " word " << word;
        EXPECT_EQ(answer.data, value(p, word)) << "partition " << p << " word " << word;
      }
    EXPECT_EQ(bench.registers.read("tensor.ecc_corrected"), 0U);
    EXPECT_EQ(bench.registers.read("tensor.ecc_uncorrected"), 0U);
  }
  static std::uint64_t value(unsigned p, unsigned word) { return 0xA5C3'0000'F00D'0000U | (p << 12U) | word; }

  TensorBench& bench = TensorBench::instance();
  const unsigned partitions = bench.shape().partitions();
};

TEST_F(TensorMbist, HealthyArraysPassAndAreLeftClean) {
  EXPECT_TRUE(test(Array::scratchpad, kAllBackgrounds, true));
  EXPECT_TRUE(test(Array::accumulators, kAllBackgrounds, true));
  EXPECT_EQ(used("repair", kSpares) + used("acc_repair", kBanks * kBankSpares), 0U);
  EXPECT_FALSE(exhausted());
  EXPECT_EQ(bench.registers.read("tensor.mbist_fails"), 0U);
  for (unsigned p = 0; p < partitions; ++p)
    for (unsigned w = 0; w < golden::tensor::kPartitionWords; ++w) bench.model().set_word(p, w, 0);
  bench.expect_everything();
  EXPECT_EQ(bench.registers.read("tensor.ecc_corrected"), 0U) << "zeros with good check bits";
}

TEST_F(TensorMbist, TakesTenCyclesAWord) {
  const auto cycles = [&](Array array) {
    start(array);
    const std::uint64_t begin = bench.block.cycles();
    while (bench.registers.read("tensor.mbist.busy") != 0) bench.block.cycle();
    return bench.block.cycles() - begin;
  };
  EXPECT_NEAR(static_cast<double>(cycles(Array::scratchpad)), 20480, 50);
  EXPECT_NEAR(static_cast<double>(cycles(Array::accumulators)), 5120, 50);
}

/// So many faults of the scratchpad: FIRSTLIGHT_CASES, all of them if that is more, or what suits a change.
std::size_t wanted_faults(std::size_t all) {
  constexpr std::size_t kUsual = 20;
  return std::min<std::size_t>(all, firstlight::test::cases(kUsual));
}

TEST_F(TensorMbist, FaultsOfTheScratchpadAreFoundAndRepaired) {
  const std::vector<ListedFault> all = fault_list(golden::tensor::kPartitionWords, kWordBits);
  ASSERT_GE(all.size(), 60U);
  const std::size_t count = wanted_faults(all.size());
  RecordProperty("faults", static_cast<int>(count));
  unsigned p = static_cast<unsigned>(seed() % partitions);
  for (std::size_t i = 0; i < count; ++i) {
    const ListedFault& one = all.at((seed() + i * all.size() / count) % all.size());
    p = (p + 1) % partitions;
    SCOPED_TRACE(fmt::format("partition {}: {}", p, one.fault.text()));
    fresh(partition(p), one.fault);
    const std::set<unsigned> words = words_of(one.fault);
    ASSERT_FALSE(test(Array::scratchpad, one.backgrounds, true)) << "not found";
    EXPECT_EQ(bench.registers.read("tensor.mbist_first.lane"), p);
    EXPECT_EQ(words.count(bench.registers.read("tensor.mbist_first.address") / 8), 1U)
        << "blames word " << bench.registers.read("tensor.mbist_first.address") / 8;
    unsigned rounds = 1;
    while (!test(Array::scratchpad, one.backgrounds, true) && rounds < kMostRounds) ++rounds;
    EXPECT_LT(rounds, kMostRounds) << "not repaired";
    EXPECT_LE(used("repair", kSpares), words.size()) << "a healthy word was given a spare";
    EXPECT_FALSE(exhausted());
    expect_holds(words);
  }
}

TEST_F(TensorMbist, EveryFaultOfTheAccumulatorsIsFoundAndRepaired) {
  const std::vector<ListedFault> all = fault_list(kEntries, kEntryBits);
  unsigned i = 0;
  for (const ListedFault& one : all) {
    const unsigned column = i % bench.shape().cols;
    const unsigned b = i++ / bench.shape().cols % kBanks;
    SCOPED_TRACE(fmt::format("column {} bank {}: {}", column, b, one.fault.text()));
    fresh(bank(column, b), one.fault);
    const std::set<unsigned> entries = words_of(one.fault);
    ASSERT_FALSE(test(Array::accumulators, one.backgrounds, true)) << "not found";
    EXPECT_EQ(bench.registers.read("tensor.mbist_first.lane"), column);
    const unsigned address = bench.registers.read("tensor.mbist_first.address");
    EXPECT_EQ(address / kEntries, b);
    EXPECT_EQ(entries.count(address % kEntries), 1U) << "blames entry " << address % kEntries;
    unsigned rounds = 1;
    while (!test(Array::accumulators, one.backgrounds, true) && rounds < kMostRounds) ++rounds;
    EXPECT_LT(rounds, kMostRounds) << "not repaired";
    EXPECT_LE(used("acc_repair", kBanks * kBankSpares), entries.size()) << "a healthy entry was given a spare";
    EXPECT_FALSE(exhausted());
    EXPECT_EQ(used("repair", kSpares), 0U);
  }
}

TEST_F(TensorMbist, OfSeveralArraysTheLowestIsNamedAndAllAreCounted) {
  partition(3).become({{Kind::stuck_at, {40, 7}, {}, false, true}});
  partition(1).become({{Kind::stuck_at, {40, 9}, {}, false, true}, {Kind::stuck_at, {1000, 70}, {}, false, false}});
  EXPECT_FALSE(test(Array::scratchpad, kSolidBackground, true));
  EXPECT_EQ(bench.registers.read("tensor.mbist_first.lane"), 1U);
  EXPECT_EQ(bench.registers.read("tensor.mbist_first.address"), 40U * 8);
  EXPECT_EQ(bench.registers.read("tensor.mbist_first_bits[0]"), 1U << 9U);
  EXPECT_EQ(bench.registers.read("tensor.mbist_first_bits[1]"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.mbist_first_check"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.mbist_first.element"), 1U);
  EXPECT_EQ(bench.registers.read("tensor.mbist_fails"), 3U + 3U + 2U) << "a cell at 1 three times, one at 0 twice";
  EXPECT_EQ(used("repair", kSpares), 2U) << "a row serves both partitions";
  EXPECT_TRUE(test(Array::scratchpad, kSolidBackground, true));
  expect_holds({39, 40, 1000});
}

TEST_F(TensorMbist, ASpareThatIsBadItselfIsReplaced) {
  partition(0).become({{Kind::stuck_at, {100, 5}, {}, false, true}});
  partition(2).become({{Kind::stuck_at, {golden::tensor::kPartitionWords, 9}, {}, false, true}});
  EXPECT_FALSE(test(Array::scratchpad, kSolidBackground, true));
  EXPECT_EQ(bench.registers.read("tensor.repair[0].address"), 800U);
  EXPECT_FALSE(test(Array::scratchpad, kSolidBackground, true)) << "the first spare row is bad";
  EXPECT_EQ(bench.registers.read("tensor.repair[0].dead"), 1U);
  EXPECT_EQ(bench.registers.read("tensor.repair[1].address"), 800U);
  EXPECT_TRUE(test(Array::scratchpad, kSolidBackground, true));
  expect_holds({99, 100, 101});
}

TEST_F(TensorMbist, AsManyWordsAsThereAreSparesAreRepairedAndOneMoreIsTold) {
  std::vector<MemoryFault> faults;
  for (unsigned i = 0; i < kSpares; ++i) faults.push_back({Kind::stuck_at, {500 * i + 3, i}, {}, false, true});
  partition(1).become(faults);
  EXPECT_FALSE(test(Array::scratchpad, kSolidBackground, true));
  EXPECT_FALSE(exhausted());
  EXPECT_TRUE(test(Array::scratchpad, kSolidBackground, true));
  partition(0).become({{Kind::stuck_at, {2000, 1}, {}, false, false}});
  EXPECT_FALSE(test(Array::scratchpad, kSolidBackground, true));
  EXPECT_TRUE(exhausted());
  // Of the accumulators, two in a bank.
  bank(1, 2).become({{Kind::stuck_at, {3, 1}, {}, false, true}, {Kind::stuck_at, {4, 1}, {}, false, true}});
  bank(3, 2).become({{Kind::stuck_at, {127, 31}, {}, false, true}});
  bank(3, 0).become({{Kind::stuck_at, {0, 31}, {}, false, true}});
  EXPECT_FALSE(test(Array::accumulators, kSolidBackground, true));
  EXPECT_TRUE(exhausted());
  EXPECT_EQ(bench.registers.read("tensor.acc_repair[0].entry"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.acc_repair[0].enable"), 1U);
  EXPECT_EQ(bench.registers.read("tensor.acc_repair[4].entry"), 3U);
  EXPECT_EQ(bench.registers.read("tensor.acc_repair[5].entry"), 4U);
  EXPECT_EQ(used("acc_repair", kBanks * kBankSpares), 3U);
}

TEST_F(TensorMbist, ProductsAreRightOnRowsThatWereReplaced) {
  // Bad cells where the operands, the result and the sums of a product are.
  constexpr unsigned kTwoWrongBits = 2;
  const std::set<unsigned> words = {0, 1, 5, 30};
  std::vector<MemoryFault> faults;
  for (const unsigned word : words)
    for (unsigned i = 0; i < kTwoWrongBits; ++i)
      faults.push_back({Kind::stuck_at, {word, 20 + 9 * i}, {}, false, i == 0});
  const auto spoil = [&] {
    for (unsigned p = 0; p < partitions; ++p) partition(p).become(faults);
    for (unsigned c = 0; c < bench.shape().cols; ++c)
      bank(c, 0).become(
          {{Kind::stuck_at, {c, 30}, {}, false, true}, {Kind::coupling_state, {8, 1}, {9, 1}, true, false}});
    bank(2, 0).become({{Kind::stuck_at, {2, 22}, {}, false, true}});
    bank(1, 0).become({{Kind::stuck_at, {2, 3}, {}, false, true}});
    bank(0, 0).become({{Kind::stuck_at, {6, 31}, {}, false, false}});
    bank(3, 0).become({});
  };
  spoil();
  EXPECT_FALSE(test(Array::scratchpad, kSolidBackground, true));
  EXPECT_FALSE(test(Array::accumulators, kSolidBackground, true));
  EXPECT_TRUE(test(Array::scratchpad, kSolidBackground, true));
  EXPECT_TRUE(test(Array::accumulators, kSolidBackground, true));
  EXPECT_EQ(used("repair", kSpares), words.size());
  EXPECT_EQ(used("acc_repair", kBanks * kBankSpares), 2U);
  bench.refill();
  const auto [rows, cols] = bench.shape();
  for (unsigned round = 0; round < 3; ++round) {
    const Gemm gemm(bench.shape(), {12, 2 * rows, 2 * cols, 1, 1, 0, false}, bench.dice());
    gemm.place(bench);
    for (const Instruction& i : gemm.program()) {
      bench.submit(i);
      bench.finish();
    }
    gemm.check(bench);
  }
  bench.expect_everything();
  EXPECT_EQ(bench.registers.read("tensor.ecc_corrected"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.ecc_uncorrected"), 0U);
}

TEST_F(TensorMbist, TheMapCanBeBroughtBack) {
  partition(2).become({{Kind::stuck_at, {1234, 5}, {}, false, true}});
  EXPECT_FALSE(test(Array::scratchpad)) << "without repair nothing is repaired";
  EXPECT_EQ(used("repair", kSpares), 0U);
  bench.registers.write("tensor.repair[2]", 0x80000000U | 1234U * 8U);
  EXPECT_TRUE(test(Array::scratchpad));
  expect_holds({1234});
  bench.registers.write("tensor.repair[2]", 0);
  EXPECT_FALSE(test(Array::scratchpad));
}

TEST_F(TensorMbist, IsRefusedWhileTheEngineOrTheBusIsAtWork) {
  const auto expect_refused = [&] {
    bench.registers.write("tensor.irq_status.refused", 1);
    start(Array::scratchpad);
    EXPECT_EQ(bench.registers.read("tensor.irq_status.refused"), 1U);
    EXPECT_EQ(bench.registers.read("tensor.mbist.busy"), 0U);
  };
  // An instruction under way, one that waits for a semaphore, and one that waits here.
  auto load = make(Opcode::kLoad, 0, 0, 1, 1, 0);
  load.wait_sem = 3;
  load.wait_count = 1;
  bench.submit(load);
  ASSERT_TRUE(bench.block.cycle_until([&] { return bench.instructions.empty(); }, 100));
  expect_refused();
  bench.registers.write("tensor.signal", 3);
  bench.finish();
  bench.submit(make(Opcode::kMultiply, 0, 128, 1, 1, 0));
  ASSERT_TRUE(bench.block.cycle_until([&] { return bench.registers.read("tensor.status.multiply_busy") != 0; }, 100));
  expect_refused();
  bench.finish();
  bench.registers.write("tensor.ctrl.enable", 0);
  bench.fetch(0, {make(Opcode::kLoad, 0, 0, 1, 1, 0)});
  bench.block.cycle(100);
  expect_refused();
  bench.registers.write("tensor.ctrl.enable", 1);
  bench.finish();
  bench.expect_everything();
  EXPECT_TRUE((bench.registers.write("tensor.irq_status.refused", 1), test(Array::scratchpad)));
}

TEST_F(TensorMbist, WhatComesWhileItRunsWaitsOrIsRefused) {
  bench.registers.write("tensor.scrub", 3);
  bench.registers.write("tensor.irq_mask.mbist_done", 1);
  start(Array::scratchpad);
  EXPECT_EQ(bench.registers.read("tensor.status.idle"), 0U);
  bench.block.cycle(500);
  EXPECT_TRUE(bench.bus.read(0, 7).error);
  EXPECT_TRUE(bench.bus.write(1, 7, 1).error);
  EXPECT_TRUE(bench.bus.write(1, 7, 1, 0x0f).error);
  // A second one is refused, and does not disturb the first.
  start(Array::accumulators, kAllBackgrounds, true);
  EXPECT_EQ(bench.registers.read("tensor.irq_status.refused"), 1U);
  for (unsigned p = 0; p < partitions; ++p)
    for (unsigned w = 0; w < golden::tensor::kPartitionWords; ++w) bench.model().set_word(p, w, 0);
  const auto [rows, cols] = bench.shape();
  bench.submit(make(Opcode::kLoad, 1, 0, rows, cols, 0));
  auto multiply = make(Opcode::kMultiply, 1, 20, rows, cols, 256);
  multiply.signal = true;
  auto store = make(Opcode::kStore, 0, 20, 0, cols, 512);
  store.wait_count = 1;
  bench.fetch(0, {multiply, store});
  bench.block.cycle(1000);
  EXPECT_EQ(bench.counter("instructions"), 0U);
  EXPECT_EQ(bench.block.dut().irq_o, 0);
  ASSERT_TRUE(bench.block.cycle_until([&] { return bench.block.dut().irq_o != 0; }, 25000));
  EXPECT_EQ(bench.registers.read("tensor.irq_status.mbist_done"), 1U);
  EXPECT_EQ(bench.registers.read("tensor.mbist.fail"), 0U);
  bench.finish();
  EXPECT_EQ(bench.counter("instructions"), 3U);
  bench.expect_everything();
  EXPECT_EQ(bench.registers.read("tensor.ecc_corrected"), 0U);
  const std::uint32_t passes = bench.registers.read("tensor.scrub_passes");
  ASSERT_TRUE(bench.block.cycle_until([&] { return bench.registers.read("tensor.scrub_passes") > passes; }, 20000));
  EXPECT_EQ(bench.registers.read("tensor.scrub_corrected"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.scrub_uncorrected"), 0U);
}

TEST_F(TensorMbist, RightAfterAProductItDoesNotMeetTheLastVectors) {
  const auto [rows, cols] = bench.shape();
  bench.submit(make(Opcode::kLoad, 1, 0, rows, cols, 0));
  bench.finish();
  auto multiply = make(Opcode::kMultiply, 1, 128, rows, cols, 256);
  bench.submit(multiply);
  // The very cycle in which the engine has come to rest.
  bench.registers.write("tensor.irq_status.refused", 1);
  do {
    bench.registers.write("tensor.irq_status.refused", 1);
    start(Array::accumulators);
  } while (bench.registers.read("tensor.irq_status.refused") != 0);
  while (bench.registers.read("tensor.mbist.busy") != 0) bench.block.cycle(100);
  EXPECT_EQ(bench.registers.read("tensor.mbist.fail"), 0U);
  // Nothing is set any more.
  auto store = make(Opcode::kStore, 0, 1, 0, 1, 1024);
  store.tag = 77;
  bench.instructions.push(store);
  bench.expect_reported({ErrorCode::kAccumulatorUnset, 77, 0});
  bench.clear_error();
}

TEST_F(TensorMbist, CanBeStopped) {
  start(Array::scratchpad, kAllBackgrounds);
  bench.block.cycle(3000);
  bench.registers.write("tensor.mbist.stop", 1);
  bench.block.cycle(5);
  EXPECT_EQ(bench.registers.read("tensor.mbist.busy"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.mbist.done"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.status.idle"), 1U);
  EXPECT_FALSE(bench.bus.write(0, 0, 1).error);
  EXPECT_TRUE(test(Array::scratchpad));
}

}  // namespace
}  // namespace tb::blocks::tensor
