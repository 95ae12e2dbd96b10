#include <gtest/gtest.h>

#include "tb/blocks/dice.h"
#include "tb/blocks/mem/mem_bench.h"
#include "tb/blocks/register_walk.h"
#include "tb/golden/sram_model/sram_model.h"

namespace tb::blocks::mem {
namespace {

using golden::Codeword;
using golden::SramModel;
using Source = SramModel::Source;

constexpr unsigned kSlverr = 2;

/// One access at a time, so that the order of events is that of the calls.
class SramAccess : public testing::Test {
 protected:
  void SetUp() override {
    bench().start();
    model.fill(0);
  }

  void arm(Codeword mask, std::optional<unsigned> match, unsigned writes, unsigned reads) {
    registers.write("sram.inject_mask[0]", static_cast<std::uint32_t>(mask.data));
    registers.write("sram.inject_mask[1]", static_cast<std::uint32_t>(mask.data >> 32U));
    registers.write("sram.inject_check", mask.check);
    registers.write("sram.inject_match", match ? 0x80000000U | (*match * 8) : 0);
    registers.write("sram.inject_arm", writes | reads << 16U);
    model.inject(mask, match, writes, reads);
  }

  void host_read(unsigned word, bool high) {
    const auto rtl = bench().window.read(word * 8 + (high ? 4 : 0));
    const auto reference = model.read(word, Source::Host);
    ASSERT_EQ(rtl.error, reference.error) << "word " << word;
    ASSERT_EQ(rtl.data, static_cast<std::uint32_t>(high ? reference.data >> 32U : reference.data)) << "word " << word;
  }
  void host_write(unsigned word, bool high, std::uint32_t data, unsigned strobes) {
    const bool rtl = bench().window.write(word * 8 + (high ? 4 : 0), data, strobes);
    const bool reference =
        model.write(word, std::uint64_t{data} << (high ? 32U : 0U), high ? strobes << 4U : strobes, Source::Host);
    ASSERT_EQ(rtl, reference) << "word " << word;
  }
  void axi_read(unsigned word, unsigned beats) {
    const auto rtl = bench().axi.run({false, dice.below(16), word, std::vector<AxiBeat>(beats), 0});
    for (unsigned i = 0; i < beats; ++i) {
      const auto reference = model.read(word + i, Source::AxiRead);
      ASSERT_EQ(rtl.beats[i].response, reference.error ? kSlverr : 0) << "word " << word + i;
      ASSERT_EQ(rtl.beats[i].data, reference.data) << "word " << word + i;
    }
  }
  void axi_write(unsigned word, unsigned beats) {
    AxiBurst burst{true, dice.below(16), word, {}, 0};
    bool error = false;
    for (unsigned i = 0; i < beats; ++i) {
      const unsigned strobes = dice.coin() ? 0xff : dice.below(256);
      burst.beats.push_back({dice.bits(), strobes, 0});
      error |= model.write(word + i, burst.beats.back().data, strobes, Source::AxiWrite);
    }
    ASSERT_EQ(bench().axi.run(burst).response, error ? kSlverr : 0) << "word " << word;
  }

  void check_status() {
    ASSERT_EQ(registers.read("sram.corrected_count"), model.corrected());
    ASSERT_EQ(registers.read("sram.uncorrected_count"), model.uncorrected());
    ASSERT_EQ(registers.read("sram.inject_left.writes"), model.writes_left());
    ASSERT_EQ(registers.read("sram.inject_left.reads"), model.reads_left());
    check_first("sram.corrected_first", model.first_corrected());
    check_first("sram.uncorrected_first", model.first_uncorrected());
  }
  void check_first(const std::string& name, const std::optional<SramModel::First>& first) {
    ASSERT_EQ(registers.read(name + ".valid"), first ? 1U : 0U) << name;
    if (!first) return;
    ASSERT_EQ(registers.read(name + ".address"), first->address) << name;
    ASSERT_EQ(registers.read(name + ".syndrome"), first->syndrome) << name;
    ASSERT_EQ(registers.read(name + ".source"), static_cast<unsigned>(first->source)) << name;
  }

  Codeword random_mask() {
    Codeword mask;
    const auto bits = dice.below(3) + 1;
    for (std::uint64_t i = 0; i < bits; ++i) mask = mask.flipped(dice.below(72));
    return mask;
  }

  Dice dice{seed()};
  SramModel model;
  RegisterPort<Vmem_dut>& registers = bench().registers;
};

TEST_F(SramAccess, MatchesTheModelWithInjection) {
  for (int step = 0; step < 3000; ++step) {
    const unsigned word = 4000 + dice.below(32);
    const unsigned beats = 1 + dice.below(8);
    switch (dice.below(8)) {
      case 0:
        host_read(word, dice.coin());
        break;
      case 1:
        host_write(word, dice.coin(), dice.word(), dice.below(16));
        break;
      case 2:
      case 3:
        axi_read(word, beats);
        break;
      case 4:
      case 5:
        axi_write(word, beats);
        break;
      case 6:
        arm(random_mask(), dice.coin() ? std::optional<unsigned>(4000 + dice.below(32)) : std::nullopt, dice.below(3),
            dice.below(3));
        break;
      default: {
        const bool on = dice.coin();
        registers.write("sram.ctrl.write_back", on);
        model.set_write_back(on);
      }
    }
    if (HasFatalFailure()) FAIL() << "step " << step;
    if (step % 50 == 0) {
      check_status();
      if (dice.coin()) {
        registers.write("sram.ctrl.clear_counts", 1);
        model.clear_counts();
      }
    }
  }
  check_status();
  EXPECT_GT(model.corrected() + model.uncorrected(), 0U);
}

TEST_F(SramAccess, WriteBackMendsTheCell) {
  arm(Codeword{}.flipped(17), std::nullopt, 1, 0);
  host_write(100, false, 0x1234, 0xf);
  host_read(100, false);
  EXPECT_EQ(registers.read("sram.corrected_count"), 1U);
  host_read(100, false);
  EXPECT_EQ(registers.read("sram.corrected_count"), 1U);

  registers.write("sram.ctrl.write_back", 0);
  model.set_write_back(false);
  arm(Codeword{}.flipped(70), std::nullopt, 1, 0);
  host_write(101, true, 0x1234, 0xf);
  host_read(101, true);
  host_read(101, true);
  EXPECT_EQ(registers.read("sram.corrected_count"), 3U);
  check_status();
}

// A corrected read writes back a cycle later than it was read; a write that overtakes it must survive.
TEST_F(SramAccess, WriteBackDoesNotBuryANewerWrite) {
  for (int round = 0; round < 200; ++round) {
    const unsigned word = 64 + dice.below(64);
    arm(Codeword{}.flipped(dice.below(72)), std::nullopt, 1, 0);
    axi_write(word, 1);
    arm(Codeword{}, std::nullopt, 0, 0);
    const std::uint64_t fresh = dice.bits();
    const auto lead = dice.below(6);
    bench().axi.issue({false, 1, word, std::vector<AxiBeat>(1), 0});
    bench().clock.cycle(lead);
    bench().axi.issue({true, 2, word, {{fresh, 0xff, 0}}, 0});
    ASSERT_TRUE(bench().clock.cycle_until([] { return bench().axi.idle(); }, 100));
    bench().axi.take_done();
    ASSERT_EQ(bench().window.read_word(word), fresh) << "round " << round << ", lead " << lead;
    model.write(word, fresh, 0xff, Source::AxiWrite);
  }
}

TEST_F(SramAccess, AFullRateBurstTakesACycleABeat) {
  constexpr unsigned kBursts = 16;
  constexpr unsigned kBeats = 16;
  for (const bool write : {true, false}) {
    const auto begin = bench().clock.cycles();
    for (unsigned i = 0; i < kBursts; ++i)
      bench().axi.issue({write, i % 16, i * kBeats, std::vector<AxiBeat>(kBeats), 0});
    ASSERT_TRUE(bench().clock.cycle_until([] { return bench().axi.idle(); }, 10000));
    bench().axi.take_done();
    EXPECT_LE(bench().clock.cycles() - begin, kBursts * kBeats + 8) << (write ? "writes" : "reads");
  }
}

TEST_F(SramAccess, UncorrectableInterrupts) {
  EXPECT_FALSE(bench().clock.dut().irq_o);
  arm(Codeword{}.flipped(3).flipped(66), std::nullopt, 0, 1);
  host_read(9, false);
  bench().clock.cycle(2);
  EXPECT_TRUE(bench().clock.dut().irq_o);
  registers.write("sram.irq_status.uncorrected", 1);
  bench().clock.cycle(2);
  EXPECT_FALSE(bench().clock.dut().irq_o);
  arm(Codeword{}.flipped(3), std::nullopt, 0, 1);
  host_read(9, false);
  bench().clock.cycle(2);
  EXPECT_FALSE(bench().clock.dut().irq_o);
  registers.write("sram.irq_enable.corrected", 1);
  EXPECT_TRUE(bench().clock.dut().irq_o);
  check_status();
}

// Two faulty cells of one word: each alone is corrected, both are not, and a partial write leaves the word alone.
TEST_F(SramAccess, StuckBitsAreSeen) {
  bench().window.write(0x808, 0x0000ffff);
  registers.write("sram.stuck[0]", 0x80000000U | 1U << 24U | 20U << 16U | 0x808U);
  EXPECT_EQ(bench().window.read(0x808).data, 0x0000ffffU);
  EXPECT_EQ(registers.read("sram.corrected_count"), 1U);
  EXPECT_EQ(bench().window.read(0x808).data, 0x0000ffffU);
  EXPECT_EQ(registers.read("sram.corrected_count"), 2U) << "a write-back cannot mend a stuck cell";
  registers.write("sram.stuck[1]", 0x80000000U | 3U << 16U | 0x808U);
  EXPECT_TRUE(bench().window.read(0x808).error);
  EXPECT_EQ(bench().window.read(0x808).data, 0U);
  EXPECT_TRUE(bench().window.write(0x808, 0xff00ff00));
  registers.write("sram.stuck[0]", 0);
  registers.write("sram.stuck[1]", 0);
  EXPECT_EQ(bench().window.read(0x808).data, 0x0000ffffU);
  EXPECT_EQ(registers.read("sram.uncorrected_count"), 3U);
  EXPECT_FALSE(bench().window.read(0x800).error) << "the neighbour is healthy";
}

TEST_F(SramAccess, RegistersHoldWhatTheyShould) {
  bench().clock.reset();
  EXPECT_EQ(walk_registers(registers, "sram", seed()), std::vector<std::string>{});
}

TEST_F(SramAccess, TheLongestBurstsReachTheEnd) {
  AxiBurst burst{true, 9, 8192 - 256, {}, 0};
  for (int i = 0; i < 256; ++i) burst.beats.push_back({dice.bits(), 0xff, 0});
  EXPECT_EQ(bench().axi.run(burst).response, 0U);
  const auto back = bench().axi.run({false, 6, burst.word, std::vector<AxiBeat>(256), 0});
  for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(back.beats[i].data, burst.beats[i].data) << i;
}

}  // namespace
}  // namespace tb::blocks::mem
