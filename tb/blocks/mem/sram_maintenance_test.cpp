#include <gtest/gtest.h>

#include "tb/blocks/dice.h"
#include "tb/blocks/mem/mem_bench.h"

namespace tb::blocks::mem {
namespace {

constexpr unsigned kSlverr = 2;

class SramMaintenance : public testing::Test {
 protected:
  void SetUp() override { bench().start(); }

  /// Runs the memory test to its end; the cycles that it took.
  std::uint64_t test(unsigned backgrounds = 1) {
    registers.write("sram.mbist.backgrounds", backgrounds);
    const auto begin = bench().clock.cycles();
    registers.write("sram.mbist.start", 1);
    bench().clock.cycle(1000);
    while (registers.read("sram.mbist.busy") != 0) bench().clock.cycle(100);
    EXPECT_EQ(registers.read("sram.mbist.done"), 1U);
    return bench().clock.cycles() - begin;
  }

  Dice dice{seed()};
  RegisterPort<Vmem_dut>& registers = bench().registers;
};

TEST_F(SramMaintenance, FillReachesEveryWord) {
  bench().fill(0x0123456789abcdefULL);
  for (unsigned word = 0; word < 8192; word += 16) {
    const auto burst = bench().axi.run({false, 3, word, std::vector<AxiBeat>(16), 0});
    for (const auto& beat : burst.beats) {
      ASSERT_EQ(beat.data, 0x0123456789abcdefULL) << "near word " << word;
      ASSERT_EQ(beat.response, 0U);
    }
  }
  EXPECT_EQ(registers.read("sram.corrected_count"), 0U);
  EXPECT_EQ(registers.read("sram.uncorrected_count"), 0U);
}

TEST_F(SramMaintenance, AccessesWhileBusyEndWithErrors) {
  bench().window.write(0x10, 0x5a5a5a5a);
  registers.write("sram.mbist.start", 1);
  EXPECT_TRUE(bench().window.read(0x10).error);
  EXPECT_TRUE(bench().window.write(0x10, 1));
  const auto read = bench().axi.run({false, 5, 2, std::vector<AxiBeat>(4), 0});
  for (const auto& beat : read.beats) EXPECT_EQ(beat.response, kSlverr);
  EXPECT_EQ(bench().axi.run({true, 5, 2, std::vector<AxiBeat>(4), 0}).response, kSlverr);
  registers.write("sram.fill.start", 1);
  EXPECT_EQ(registers.read("sram.status.fill_busy"), 0U) << "a second engine must not start";
  registers.write("sram.mbist.stop", 1);
  EXPECT_EQ(registers.read("sram.mbist.busy"), 0U);
  EXPECT_EQ(registers.read("sram.mbist.done"), 0U);
  bench().fill(7);
  EXPECT_EQ(bench().window.read(0x10).data, 7U);
}

TEST_F(SramMaintenance, AHealthyArrayPasses) {
  const auto cycles = test();
  EXPECT_GE(cycles, 81920U);
  EXPECT_LE(cycles, 81920U + 400U);
  EXPECT_EQ(registers.read("sram.mbist.fail"), 0U);
  EXPECT_EQ(registers.read("sram.mbist_fails"), 0U);
  // The solid background leaves zeroes with good check bits.
  EXPECT_FALSE(bench().window.read(0xfff8).error);
  EXPECT_EQ(bench().window.read(0xfff8).data, 0U);
  EXPECT_EQ(registers.read("sram.corrected_count"), 0U);
  EXPECT_EQ(registers.read("sram.irq_status.mbist_done"), 1U);
}

TEST_F(SramMaintenance, FindsAStuckBitAndSaysWhere) {
  for (int round = 0; round < 6; ++round) {
    const auto word = dice.below(8192);
    const auto position = round == 0 ? 71 : dice.below(72);
    const bool value = dice.coin();
    registers.write("sram.stuck[0]", 0x80000000U | unsigned{value} << 24U | position << 16U | word * 8);
    test();
    SCOPED_TRACE(testing::Message() << "word " << word << " bit " << position << " stuck at " << value);
    EXPECT_EQ(registers.read("sram.mbist.fail"), 1U);
    EXPECT_EQ(registers.read("sram.mbist_first.address"), word * 8);
    // A cell that is stuck at 1 shows at the first read of 0, in element 1; one that is stuck at 0 an element later.
    EXPECT_EQ(registers.read("sram.mbist_first.element"), value ? 1U : 2U);
    EXPECT_EQ(registers.read("sram.mbist_fails"), value ? 3U : 2U);
    const std::uint64_t bits =
        registers.read("sram.mbist_first_bits[0]") | std::uint64_t{registers.read("sram.mbist_first_bits[1]")} << 32U;
    EXPECT_EQ(bits, position < 64 ? 1ULL << position : 0U);
    EXPECT_EQ(registers.read("sram.mbist_first_check"), position < 64 ? 0U : 1U << (position - 64));
  }
}

TEST_F(SramMaintenance, EveryBackgroundRuns) {
  registers.write("sram.stuck[0]", 0x80000000U | 2U << 16U | 0x40U);
  const auto cycles = test(0xf);
  EXPECT_GE(cycles, 4 * 81920U);
  EXPECT_LE(cycles, 4 * 81920U + 400U);
  // Bit 2 is 0, 1, 0, 1 in the four backgrounds: stuck at 0 it fails two of five reads as a 0 and three as a 1.
  EXPECT_EQ(registers.read("sram.mbist_fails"), 2U + 3U + 2U + 3U);
  registers.write("sram.stuck[0]", 0);
  test(0xe);
  EXPECT_EQ(registers.read("sram.mbist.fail"), 0U);
}

}  // namespace
}  // namespace tb::blocks::mem
