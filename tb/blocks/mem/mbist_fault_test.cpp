// The memory test against faults of every class, in cells at the edges and in the middle, and what repair makes of
// them.
#include <gtest/gtest.h>

#include <set>

#include "tb/blocks/mem/faulty_memory.h"
#include "tb/blocks/mem/mem_bench.h"

namespace tb::blocks::mem {
namespace {

using Kind = MemoryFault::Kind;

constexpr unsigned kWords = 8192;
constexpr unsigned kSpares = 4;
constexpr unsigned kSolid = 0x1;
constexpr unsigned kAllBackgrounds = 0xf;
constexpr int kMostRounds = 4;

struct Case {
  MemoryFault fault;
  unsigned backgrounds = kSolid;
};

/// A cell in the first, a middle and the last word; lowest and highest data bit, and check bits.
const std::vector<Cell> kCells = {{0, 0}, {1, 71}, {5000, 33}, {8191, 63}};
/// Aggressor and victim: below and above it, next to it and far away, and the same bit or another.
const std::vector<std::pair<Cell, Cell>> kPairs = {{{0, 0}, {8191, 71}}, {{8191, 0}, {0, 0}}, {{17, 70}, {18, 3}}};

/// Faults between bits of one word need a background in which the two differ: bits 0 and 1 do in 0x55, bits 0 and 2
/// in 0x33, bits 0 and 4 in 0x0f.
const std::vector<std::pair<Cell, Cell>> kPairsOfOneWord = {
    {{77, 0}, {77, 1}}, {{77, 66}, {77, 64}}, {{8191, 12}, {8191, 8}}};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Cell& cell : kCells)
    for (const bool value : {false, true}) {
      out.push_back({{Kind::stuck_at, cell, {}, false, value}});
      out.push_back({{Kind::transition, cell, {}, false, value}});
    }
  for (const auto& [aggressor, victim] : kPairs)
    for (const bool edge : {false, true}) {
      out.push_back({{Kind::coupling_inversion, victim, aggressor, edge, false}});
      for (const bool value : {false, true}) {
        out.push_back({{Kind::coupling_idempotent, victim, aggressor, edge, value}});
        out.push_back({{Kind::coupling_state, victim, aggressor, edge, value}});
      }
    }
  for (const auto& [aggressor, victim] : kPairsOfOneWord)
    for (const bool edge : {false, true})
      out.push_back({{Kind::coupling_state, victim, aggressor, edge, edge}, kAllBackgrounds});
  for (const auto& [aggressor, victim] : kPairs) {
    out.push_back({{Kind::no_cell, victim, {}, false, false}});
    out.push_back({{Kind::other_cell, victim, aggressor, false, false}});
    out.push_back({{Kind::two_cells, victim, aggressor, false, false}});
  }
  return out;
}

class MbistFaults : public testing::Test {
 protected:
  void SetUp() override {
    faulty_memory().become({});
    bench().clock.reset();
  }

  /// Runs the memory test to its end. True when it passed.
  bool test(unsigned backgrounds, bool repair = false) {
    registers.write("sram.mbist.backgrounds", backgrounds);
    registers.write("sram.mbist.repair", repair ? 1 : 0);
    registers.write("sram.mbist.start", 1);
    while (registers.read("sram.mbist.busy") != 0) bench().clock.cycle(2000);
    EXPECT_EQ(registers.read("sram.mbist.done"), 1U);
    return registers.read("sram.mbist.fail") == 0;
  }
  unsigned used() {
    unsigned count = 0;
    for (unsigned s = 0; s < kSpares; ++s) count += registers.read(spare(s, "enable"));
    return count;
  }
  static std::string spare(unsigned s, const char* field) { return "sram.repair[" + std::to_string(s) + "]." + field; }
  /// Words that a fault can show in.
  static std::set<unsigned> words_of(const MemoryFault& fault) {
    const bool two = fault.kind != Kind::stuck_at && fault.kind != Kind::transition && fault.kind != Kind::no_cell;
    return two ? std::set<unsigned>{fault.victim.row, fault.aggressor.row} : std::set<unsigned>{fault.victim.row};
  }
  /// Every word of a few holds what is written, by the host.
  void expect_holds(const std::set<unsigned>& words) {
    bench().fill(0);
    for (const unsigned word : words) bench().window.write(word * 8, 0xA5000000U | word);
    for (const unsigned word : words) {
      const auto answer = bench().window.read(word * 8);
      EXPECT_FALSE(answer.error) << "word " << word;
      EXPECT_EQ(answer.data, 0xA5000000U | word);
    }
    EXPECT_EQ(registers.read("sram.corrected_count"), 0U);
    EXPECT_EQ(registers.read("sram.uncorrected_count"), 0U);
  }

  RegisterPort<Vmem_dut>& registers = bench().registers;
};

TEST_F(MbistFaults, AHealthyArrayPasses) {
  EXPECT_TRUE(test(kAllBackgrounds, true));
  EXPECT_EQ(used(), 0U);
  EXPECT_EQ(registers.read("sram.repair_status.exhausted"), 0U);
}

TEST_F(MbistFaults, EveryFaultIsFoundAndRepaired) {
  const std::vector<Case> all = cases();
  ASSERT_GE(all.size(), 60U);
  RecordProperty("faults", static_cast<int>(all.size()));
  for (const Case& one : all) {
    SCOPED_TRACE(one.fault.text());
    faulty_memory().become({one.fault});
    bench().clock.reset();
    const std::set<unsigned> words = words_of(one.fault);
    ASSERT_FALSE(test(one.backgrounds, true)) << "not found";
    EXPECT_EQ(words.count(registers.read("sram.mbist_first.address") / 8), 1U)
        << "blames word " << registers.read("sram.mbist_first.address") / 8;
    int rounds = 1;
    while (!test(one.backgrounds, true) && rounds < kMostRounds) ++rounds;
    EXPECT_LT(rounds, kMostRounds) << "not repaired";
    EXPECT_LE(used(), words.size()) << "a healthy word was given a spare";
    EXPECT_EQ(registers.read("sram.repair_status.exhausted"), 0U);
    expect_holds(words);
  }
}

TEST_F(MbistFaults, SolidBackgroundAloneMissesWhatHappensWithinAWord) {
  // Why the other backgrounds are there: the two cells are never told to differ.
  faulty_memory().become({{Kind::coupling_state, {77, 1}, {77, 0}, true, true}});
  EXPECT_TRUE(test(kSolid));
  EXPECT_FALSE(test(kAllBackgrounds));
}

TEST_F(MbistFaults, ASpareThatIsBadItselfIsReplaced) {
  faulty_memory().become({{Kind::stuck_at, {100, 5}, {}, false, true}, {Kind::stuck_at, {kWords, 9}, {}, false, true}});
  EXPECT_FALSE(test(kSolid, true));
  EXPECT_EQ(registers.read(spare(0, "address")), 800U);
  EXPECT_FALSE(test(kSolid, true)) << "the first spare row is bad";
  EXPECT_EQ(registers.read(spare(0, "dead")), 1U);
  EXPECT_EQ(registers.read(spare(1, "address")), 800U);
  EXPECT_TRUE(test(kSolid, true));
  expect_holds({99, 100, 101});
}

TEST_F(MbistFaults, FourWordsAreRepairedAndAFifthIsTold) {
  std::vector<MemoryFault> faults;
  for (unsigned i = 0; i < kSpares; ++i) faults.push_back({Kind::stuck_at, {1000 * i + 3, i}, {}, false, true});
  faulty_memory().become(faults);
  EXPECT_FALSE(test(kSolid, true));
  EXPECT_EQ(registers.read("sram.repair_status.exhausted"), 0U);
  EXPECT_TRUE(test(kSolid, true));
  EXPECT_EQ(used(), kSpares);
  faults.push_back({Kind::stuck_at, {8000, 1}, {}, false, false});
  faulty_memory().become(faults);
  EXPECT_FALSE(test(kSolid, true));
  EXPECT_EQ(registers.read("sram.repair_status.exhausted"), 1U);
  EXPECT_FALSE(test(kSolid, true));
  // All five at once, on an array without any spare in use.
  bench().clock.reset();
  EXPECT_FALSE(test(kSolid, true));
  EXPECT_EQ(registers.read("sram.repair_status.exhausted"), 1U);
  EXPECT_EQ(used(), kSpares);
}

TEST_F(MbistFaults, TheMapCanBeBroughtBack) {
  faulty_memory().become({{Kind::stuck_at, {4000, 5}, {}, false, true}});
  EXPECT_FALSE(test(kSolid)) << "without repair nothing is repaired";
  EXPECT_EQ(used(), 0U);
  registers.write("sram.repair[2]", 0x80000000U | 4000U * 8U);
  EXPECT_TRUE(test(kSolid));
  expect_holds({4000});
  registers.write("sram.repair[2]", 0);
  EXPECT_FALSE(test(kSolid));
}

}  // namespace
}  // namespace tb::blocks::mem
