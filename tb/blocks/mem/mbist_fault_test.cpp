// The memory test against faults of every class, in cells at the edges and in the middle, and what repair makes of
// them.
#include <gtest/gtest.h>

#include <set>

#include "tb/blocks/mem/fault_list.h"
#include "tb/blocks/mem/mem_bench.h"

namespace tb::blocks::mem {
namespace {

using Kind = MemoryFault::Kind;

constexpr unsigned kWords = 8192;
constexpr unsigned kSpares = 4;
constexpr unsigned kSolid = kSolidBackground;
constexpr unsigned kWordBits = 72;
constexpr int kMostRounds = 4;

class MbistFaults : public testing::Test {
 protected:
  void SetUp() override {
    bench().clock.reset();
    faulty_memory().become({});
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
  const std::vector<ListedFault> all = fault_list(kWords, kWordBits);
  ASSERT_GE(all.size(), 60U);
  RecordProperty("faults", static_cast<int>(all.size()));
  for (const ListedFault& one : all) {
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
