#include <gtest/gtest.h>

#include <map>

#include "tb/blocks/dice.h"
#include "tb/blocks/mem/mem_bench.h"
#include "tb/golden/sram_model/sram_model.h"

namespace tb::blocks::mem {
namespace {

using golden::Codeword;
using golden::SramModel;
using Source = SramModel::Source;

constexpr unsigned kWords = 512;  // traffic stays in here, so that accesses meet
constexpr unsigned kSlverr = 2;

/// Host and AXI at the same time. Groups of 8 words belong in turn to the host and to AXI, and AXI never has a write
/// under way on a word that it accesses otherwise, so the order of accesses to one word is known although the order of
/// all is not. Write-back is off: how often an error is seen must not depend on who comes first.
class SramTraffic : public testing::Test {
 protected:
  void SetUp() override {
    bench().start();
    bench().registers.write("sram.ctrl.write_back", 0);
    model.set_write_back(false);
    model.fill(0);
  }

  static bool host_owns(unsigned word) { return word / 8 % 2 == 0; }

  unsigned random_word(bool host) {
    unsigned word = 0;
    do word = dice.below(kWords);
    while (host_owns(word) != host);
    return word;
  }

  void host_step() {
    if (bench().window.busy() || !dice.one_in(4)) return;
    if (const auto answer = bench().window.take(); answer && expected_host) {
      ASSERT_EQ(answer->error, expected_host->error);
      ASSERT_EQ(answer->data, expected_host->data);
      ++host_accesses;
    }
    const unsigned word = random_word(true);
    const bool write = dice.coin();
    const bool high = dice.coin();
    const auto data = dice.word();
    const unsigned strobes = dice.below(16);
    bench().window.begin(write, word * 8 + (high ? 4 : 0), data, strobes);
    if (write) {
      const bool error =
          model.write(word, std::uint64_t{data} << (high ? 32U : 0U), high ? strobes << 4U : strobes, Source::Host);
      expected_host = WindowPort::Answer{0, error};
    } else {
      const auto read = model.read(word, Source::Host);
      expected_host = WindowPort::Answer{static_cast<std::uint32_t>(high ? read.data >> 32U : read.data), read.error};
    }
  }

  bool free(unsigned word, unsigned beats, bool write) {
    for (unsigned i = word; i < word + beats; ++i)
      if (writing[i] > 0 || (write && reading[i] > 0)) return false;
    return true;
  }

  void axi_step() {
    if (bench().axi.outstanding() >= 6 || !dice.one_in(6)) return;
    const unsigned word = random_word(false);
    const unsigned beats = 1 + dice.below(8 - word % 8);
    AxiBurst burst{dice.coin(), dice.below(16), word, {}, 0};
    if (!free(word, beats, burst.write)) return;
    bool error = false;
    AxiBurst expected = burst;
    for (unsigned i = word; i < word + beats; ++i) {
      ++(burst.write ? writing : reading)[i];
      if (burst.write) {
        const unsigned strobes = dice.coin() ? 0xff : dice.below(256);
        burst.beats.push_back({dice.bits(), strobes, 0});
        error |= model.write(i, burst.beats.back().data, strobes, Source::AxiWrite);
      } else {
        const auto read = model.read(i, Source::AxiRead);
        burst.beats.emplace_back();
        expected.beats.push_back({read.data, 0xff, read.error ? kSlverr : 0});
      }
    }
    expected.response = error ? kSlverr : 0;
    (burst.write ? expected_writes : expected_reads).push_back(expected);
    bench().axi.issue(burst);
  }

  void check_done() {
    for (const auto& burst : bench().axi.take_done()) {
      auto& queue = burst.write ? expected_writes : expected_reads;
      const AxiBurst expected = queue.front();
      queue.pop_front();
      ASSERT_EQ(burst.response, expected.response) << "write of word " << burst.word;
      for (std::size_t i = 0; i < burst.beats.size(); ++i) {
        --(burst.write ? writing : reading)[burst.word + static_cast<unsigned>(i)];
        if (burst.write) continue;
        ASSERT_EQ(burst.beats[i].response, expected.beats[i].response) << "word " << burst.word + i;
        ASSERT_EQ(burst.beats[i].data, expected.beats[i].data) << "word " << burst.word + i;
      }
      ++axi_bursts;
    }
  }

  void phase(int cycles) {
    for (int i = 0; i < cycles; ++i) {
      host_step();
      axi_step();
      bench().clock.cycle();
      check_done();
      if (HasFatalFailure()) FAIL() << "cycle " << i;
    }
    ASSERT_TRUE(bench().clock.cycle_until([] { return bench().axi.idle() && !bench().window.busy(); }, 2000));
    check_done();
  }

  void arm() {
    const unsigned word = dice.below(kWords);
    Codeword mask = Codeword{}.flipped(dice.below(72));
    if (dice.coin()) mask = mask.flipped(dice.below(72));
    const unsigned writes = dice.below(4);
    const unsigned reads = dice.below(4);
    auto& registers = bench().registers;
    registers.write("sram.inject_mask[0]", static_cast<std::uint32_t>(mask.data));
    registers.write("sram.inject_mask[1]", static_cast<std::uint32_t>(mask.data >> 32U));
    registers.write("sram.inject_check", mask.check);
    registers.write("sram.inject_match", 0x80000000U | (word * 8));
    registers.write("sram.inject_arm", writes | reads << 16U);
    model.inject(mask, word, writes, reads);
  }

  Dice dice{seed()};
  SramModel model;
  std::optional<WindowPort::Answer> expected_host;
  std::deque<AxiBurst> expected_writes;
  std::deque<AxiBurst> expected_reads;
  std::map<unsigned, int> writing;
  std::map<unsigned, int> reading;
  unsigned host_accesses = 0;
  unsigned axi_bursts = 0;
};

TEST_F(SramTraffic, MatchesTheModel) {
  for (int round = 0; round < 120; ++round) {
    bench().axi.set_waver(0.15 * dice.below(4), dice.bits());
    arm();
    phase(400);
    if (HasFatalFailure()) FAIL() << "round " << round;
    ASSERT_EQ(bench().registers.read("sram.corrected_count"), model.corrected()) << "round " << round;
    ASSERT_EQ(bench().registers.read("sram.uncorrected_count"), model.uncorrected()) << "round " << round;
  }
  EXPECT_GT(model.corrected(), 0U);
  EXPECT_GT(model.uncorrected(), 0U);
  EXPECT_GT(host_accesses, 2000U);
  EXPECT_GT(axi_bursts, 2000U);
  RecordProperty("host_accesses", static_cast<int>(host_accesses));
  RecordProperty("axi_bursts", static_cast<int>(axi_bursts));
}

}  // namespace
}  // namespace tb::blocks::mem
