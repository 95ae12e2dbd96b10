// The memory test against the golden model: faults of every class, what is reported of them, and what repair makes of
// them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tb/blocks/hbm/hbm_bench.h"

namespace tb::blocks::hbm {
namespace {

using golden::hbm::Cell;
using golden::hbm::DramFault;
using golden::hbm::FaultyDram;
using golden::hbm::kRowBytes;
using golden::hbm::kSpares;
using golden::hbm::kWordBytes;
using golden::hbm::MarchPlan;
using golden::hbm::MarchResult;
using golden::hbm::MemoryPort;
using golden::hbm::SpareRows;
using Kind = DramFault::Kind;

constexpr std::uint32_t kRowWords = kRowBytes / kWordBytes;
constexpr unsigned kRangeTests = 0xF;
constexpr unsigned kStrict = 0;
constexpr unsigned kWholeRow = 7;
constexpr int kMostRounds = 4;

/// Cells of the range that most tests use: rows 4 and 5.
constexpr std::uint32_t kBase = 4 * kRowBytes;
constexpr std::uint32_t kLength = 2 * kRowBytes;
constexpr std::uint32_t kFirst = kBase / kWordBytes;
constexpr std::uint32_t kLast = (kBase + kLength) / kWordBytes - 1;

const std::vector<Cell> kCells = {{kFirst, 0}, {kFirst + 200, 37}, {kLast, 63}};
/// Aggressor and victim: in different rows, in one row (next to each other and far apart), above and below.
const std::vector<std::pair<Cell, Cell>> kPairs = {{{kFirst, 0}, {kLast, 63}},
                                                   {{kLast, 5}, {kFirst + 1, 5}},
                                                   {{kFirst + 10, 17}, {kFirst + 11, 17}},
                                                   {{kFirst + 11, 17}, {kFirst + 10, 17}},
                                                   {{kFirst + 130, 3}, {kFirst + 250, 44}},
                                                   {{kFirst + 250, 44}, {kFirst + 130, 3}}};

std::vector<DramFault> faults() {
  std::vector<DramFault> out;
  for (const Cell& cell : kCells)
    for (const bool value : {false, true}) {
      out.push_back({Kind::stuck_at, cell, {}, false, value, 0});
      out.push_back({Kind::transition, cell, {}, false, value, 0});
    }
  for (const auto& [aggressor, victim] : kPairs)
    for (const bool edge : {false, true}) {
      out.push_back({Kind::coupling_inversion, victim, aggressor, edge, false, 0});
      for (const bool value : {false, true}) {
        out.push_back({Kind::coupling_idempotent, victim, aggressor, edge, value, 0});
        out.push_back({Kind::coupling_state, victim, aggressor, edge, value, 0});
      }
    }
  for (const auto& [aggressor, victim] : kPairs) {
    out.push_back({Kind::no_cell, victim, {}, false, false, 0});
    out.push_back({Kind::other_cell, victim, aggressor, false, false, 0});
    out.push_back({Kind::two_cells, victim, aggressor, false, false, 0});
  }
  // Losing the first write changes nothing: what it would write is there.
  for (const unsigned count : {2U, 3U, 5U, 9U}) out.push_back({Kind::lost_write, kCells[1], {}, false, false, count});
  return out;
}

class MemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    b.restart();
    b.train();
    plan_.base = kBase;
    plan_.length = kLength;
    plan_.tests = kRangeTests;
  }
  void TearDown() override { b.expect_clean(); }

  void program(bool repair) {
    b.write("bist_ctrl", plan_.tests | (plan_.burst << 8U) | (repair ? 0x10000U : 0U));
    b.write("bist_seed", plan_.seed);
    b.write("bist_base", plan_.base);
    b.write("bist_length", plan_.length);
    b.write("size", plan_.size);
  }
  /// A memory with these faults, for the chip and for the golden model.
  void become(const std::vector<DramFault>& faults) {
    b.memory.dram = FaultyDram(faults);
    golden_ = FaultyDram(faults);
    spares_ = {};
    for (unsigned s = 0; s < kSpares; ++s) b.write(fmt::format("repair[{}]", s), 0);
  }
  /// One run, compared with the golden model's in everything. True when it passed.
  bool test(bool repair = false) {
    program(repair);
    b.run("bist");
    const MarchResult golden = golden::hbm::march(
        plan_, spares_,
        {[this](std::uint32_t offset) { return golden_.read(offset / kWordBytes); },
         [this](std::uint32_t offset, std::uint64_t data) { golden_.write(offset / kWordBytes, data); }});
    expect(golden);
    bool exhausted = false;
    if (repair) exhausted = golden::hbm::repair(spares_, golden.rows);
    for (unsigned s = 0; s < kSpares; ++s) {
      const std::uint32_t now = b.read(fmt::format("repair[{}]", s));
      EXPECT_EQ(now, spares_[s].row | (spares_[s].dead ? 2U : 0U) | (spares_[s].enable ? 1U : 0U)) << "spare " << s;
    }
    EXPECT_EQ(b.read("repair_status.exhausted"), exhausted ? 1U : 0U);
    return golden.errors == 0;
  }
  void expect(const MarchResult& golden) {
    EXPECT_EQ(b.read("bist"), golden.errors == 0 ? 1U : 3U);
    EXPECT_EQ(b.read("status.bist_passed"), golden.errors == 0 ? 1U : 0U);
    EXPECT_EQ(b.read("status.ready"), golden.errors == 0 ? 1U : 0U);
    EXPECT_EQ(b.read("bist_errors"), golden.errors);
    EXPECT_EQ(b.read("bist_bus_errors"), 0U);
    EXPECT_EQ(b.read("bist_blocks"), golden.blocks);
    for (unsigned lane = 0; lane < golden::hbm::kLanes; ++lane)
      EXPECT_EQ(b.read(fmt::format("bist_lane_errors[{}]", lane)), golden.lane_errors[lane]);
    EXPECT_EQ(b.read("bist_first.valid"), golden.first ? 1U : 0U);
    if (!golden.first) return;
    EXPECT_EQ(b.read("bist_first.test"), static_cast<unsigned>(golden.first->test));
    EXPECT_EQ(b.read("bist_first.element"), golden.first->element);
    EXPECT_EQ(b.read("bist_first.bus_error"), 0U);
    EXPECT_EQ(b.read("bist_first_address"), golden.first->offset);
    EXPECT_EQ(b.read("bist_first_bits[0]"), static_cast<std::uint32_t>(golden.first->bits));
    EXPECT_EQ(b.read("bist_first_bits[1]"), static_cast<std::uint32_t>(golden.first->bits >> 32U));
  }

  HbmBench& b = bench();
  Dice dice{seed()};
  MarchPlan plan_;
  FaultyDram golden_;
  SpareRows spares_{};
};

TEST_F(MemoryTest, AHealthyMemoryPassesWithEveryBlockSize) {
  for (plan_.burst = kStrict; plan_.burst <= kWholeRow; ++plan_.burst) {
    plan_.tests = plan_.burst < 2 ? 0x8 : 0x1F;
    plan_.seed = dice.word();
    become({});
    EXPECT_TRUE(test());
    EXPECT_EQ(b.read("status.ready"), 1U);
  }
}

TEST_F(MemoryTest, FindsEveryFaultAndRepairsIt) {
  const std::vector<DramFault> all = faults();
  ASSERT_GE(all.size(), 16U);
  RecordProperty("faults", static_cast<int>(all.size()));
  for (const DramFault& fault : all) {
    SCOPED_TRACE(fault.text());
    become({fault});
    ASSERT_FALSE(test(true)) << "not found";
    int rounds = 1;
    while (!test(true) && rounds < kMostRounds) ++rounds;
    EXPECT_LT(rounds, kMostRounds) << "not repaired";
    if (HasFailure()) return;
  }
}

TEST_F(MemoryTest, TheStrictMarchFindsEveryFaultWithTheSolidBackgroundAlone) {
  plan_.burst = kStrict;
  plan_.tests = 1;
  for (const DramFault& fault : faults()) {
    // A write that is lost after the last read that would see it cannot be missed.
    if (fault.kind == Kind::lost_write && fault.count > 5) continue;
    SCOPED_TRACE(fault.text());
    become({fault});
    EXPECT_FALSE(test()) << "not found";
    if (HasFailure()) return;
  }
}

TEST_F(MemoryTest, FindsFaultsWithinAWord) {
  for (const bool edge : {false, true}) {
    become({{Kind::coupling_state, {kFirst + 77, 12}, {kFirst + 77, 13}, edge, edge, 0}});
    plan_.tests = 1;
    EXPECT_TRUE(test()) << "one background does not tell the two bits apart";
    plan_.tests = kRangeTests;
    EXPECT_FALSE(test());
  }
}

TEST_F(MemoryTest, LinesFindAddressLinesThatStickOrShort) {
  plan_.tests = 0x10;
  for (std::uint32_t line = kWordBytes; line < plan_.size; line *= 2) {
    SCOPED_TRACE(line);
    become({{Kind::other_cell, {0, 0}, {line / kWordBytes, 0}, false, false, 0}});  // stuck at zero
    EXPECT_FALSE(test());
    if (line == kWordBytes) continue;
    become({{Kind::other_cell, {line / kWordBytes, 0}, {line / kWordBytes / 2, 0}, false, false, 0}});
    EXPECT_FALSE(test());
  }
  become({});
  EXPECT_TRUE(test());
}

TEST_F(MemoryTest, ASpareThatIsBadItselfIsReplaced) {
  const std::uint32_t spare_word = plan_.size / kWordBytes + 9;
  become(
      {{Kind::stuck_at, {kFirst + 3, 5}, {}, false, true, 0}, {Kind::stuck_at, {spare_word, 60}, {}, false, true, 0}});
  EXPECT_FALSE(test(true));
  EXPECT_FALSE(test(true)) << "the first spare is bad";
  EXPECT_EQ(b.read("repair[0].dead"), 1U);
  EXPECT_TRUE(test(true));
}

TEST_F(MemoryTest, FourRowsAreRepairedAndAFifthIsTold) {
  plan_.length = 8 * kRowBytes;
  std::vector<DramFault> bad;
  for (std::uint32_t row = 0; row < 5; ++row)
    bad.push_back({Kind::stuck_at, {kFirst + row * kRowWords, row}, {}, false, true, 0});
  become(bad);
  EXPECT_FALSE(test(true));
  EXPECT_EQ(b.read("repair_status.exhausted"), 1U);
  EXPECT_FALSE(test(true));
  EXPECT_EQ(b.read("repair_status.exhausted"), 1U);
  bad.pop_back();
  become(bad);
  EXPECT_FALSE(test(true));
  EXPECT_EQ(b.read("repair_status.exhausted"), 0U);
  EXPECT_TRUE(test(true));
}

TEST_F(MemoryTest, WithoutRepairNothingMoves) {
  become({{Kind::stuck_at, {kLast, 1}, {}, false, true, 0}});
  EXPECT_FALSE(test(false));
  EXPECT_FALSE(test(false));
  EXPECT_EQ(b.read("repair[0]"), 0U);
}

TEST_F(MemoryTest, RandomFaultsAndRangesAgreeWithTheModel) {
  const std::vector<DramFault> all = faults();
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    std::vector<DramFault> some;
    for (unsigned n = dice.below(4); n > 0; --n) some.push_back(all[dice.below(static_cast<unsigned>(all.size()))]);
    plan_.burst = dice.below(8);
    plan_.tests = 1U + dice.below(plan_.burst < 3 ? 4 : 0x1F);
    plan_.seed = dice.word();
    plan_.base = (3 + dice.below(4)) * kRowBytes;
    plan_.length = (1 + dice.below(3)) * kRowBytes;
    b.memory.manners.most_latency = 1 + dice.below(10);
    b.memory.manners.ready = dice.coin() ? 1.0 : 0.7;
    become(some);
    test(dice.coin());
    test(dice.coin());
    if (HasFailure()) return;
  }
}

TEST_F(MemoryTest, CountsBusErrorsAndNamesTheFirst) {
  become({});
  b.memory.bus_errors = {kBase + kRowBytes + 64};
  plan_.tests = 1;
  program(false);
  b.run("bist");
  EXPECT_EQ(b.read("bist"), 3U);
  // Five writes of the block (in the down elements, of the word alone), five reads.
  EXPECT_EQ(b.read("bist_bus_errors"), 10U);
  EXPECT_EQ(b.read("bist_errors"), 10U);
  EXPECT_EQ(b.read("bist_first.bus_error"), 1U);
  EXPECT_EQ(b.read("bist_first.element"), 0U);
  EXPECT_EQ(b.read("bist_first_address"), kBase + kRowBytes) << "where the burst begins";
  program(true);
  b.run("bist");
  EXPECT_EQ(b.read("repair[0].row"), (kBase + kRowBytes) / kRowBytes);
  b.run("bist");
  EXPECT_EQ(b.read("status.bist_passed"), 1U);
}

TEST_F(MemoryTest, RefusesWhatItCannotTest) {
  const auto refused = [this] {
    b.write("irq_status", 0xF);
    b.command("bist");
    const bool yes = b.read("irq_status.refused") == 1;
    b.wait_idle();
    return yes;
  };
  become({});
  program(false);
  EXPECT_FALSE(refused());
  b.write("bist_length", 0);
  EXPECT_TRUE(refused());
  b.write("bist_length", kRowBytes);
  b.write("bist_base", plan_.size);
  EXPECT_TRUE(refused());
  b.write("bist_base", plan_.size - kRowBytes);
  EXPECT_FALSE(refused());
  b.write("bist_length", 2 * kRowBytes);
  EXPECT_TRUE(refused());
  program(false);
  b.write("bist_ctrl.tests", 0);
  EXPECT_TRUE(refused());
  program(false);
  b.memory.eyes[0].wr = 0;
  b.run("train");
  EXPECT_TRUE(refused()) << "not trained";
  EXPECT_EQ(b.read("status.bist_passed"), 0U);
}

TEST_F(MemoryTest, StopsAndRunsAgain) {
  become({});
  for (int round = 0; round < 20; ++round) {
    program(true);
    b.command("bist");
    b.clock.cycle(1 + dice.below(3000));
    b.command("stop");
    b.wait_idle(4000);
    EXPECT_EQ(b.read("bist.stopped"), 1U);
    EXPECT_EQ(b.read("bist.done"), 0U);
    EXPECT_EQ(b.read("status.bist_passed"), 0U);
    EXPECT_EQ(b.read("repair[0]"), 0U);
  }
  EXPECT_TRUE(test());
}

TEST_F(MemoryTest, EndsWhenTheMemoryDoesNotAnswer) {
  become({});
  program(false);
  b.write("patience", 400);
  b.command("bist");
  b.clock.cycle(1000);
  b.memory.manners.frozen = true;
  b.wait_idle(4000);
  EXPECT_EQ(b.read("bist.no_answer"), 1U);
  EXPECT_EQ(b.read("bist.done"), 0U);
  b.memory.manners.frozen = false;
  b.clock.cycle(600);
  EXPECT_TRUE(test());
}

TEST_F(MemoryTest, ShowsItsProgress) {
  become({});
  program(false);
  b.command("bist");
  std::uint32_t last = 0;
  unsigned moved = 0;
  while (b.read("status.busy") != 0) {
    const std::uint32_t now = b.read("bist_blocks");
    ASSERT_GE(now, last);
    if (now > last) ++moved;
    last = now;
    b.clock.cycle(100);
  }
  EXPECT_GT(moved, 20U);
  EXPECT_EQ(b.read("bist_blocks"), 4 * 6 * plan_.length / kRowBytes);
}

}  // namespace
}  // namespace tb::blocks::hbm
