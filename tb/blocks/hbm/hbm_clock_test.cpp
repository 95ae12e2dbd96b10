// The controller's own clock: it stands still when nothing is to do, and no one can tell, because whatever asks
// something of the controller takes as long as if it had never stopped.
#include <gtest/gtest.h>

#include <optional>

#include "tb/blocks/hbm/hbm_bench.h"

namespace tb::blocks::hbm {
namespace {

using golden::axi::Response;

constexpr unsigned kRest = 64;             // cycles from the last work to the clock's last edge, about
constexpr unsigned kPhases = kRest + 10;   // of a stimulus: from the last work to well after the stop
constexpr unsigned kPatience = 5 * kRest;  // longer than the clock would go on by itself

class Clock : public testing::Test {
 protected:
  void SetUp() override { b.restart(); }
  void TearDown() override { b.expect_clean(); }

  bool runs() { return b.clock.dut().clock_on_o != 0; }
  void sleep() {
    ASSERT_TRUE(b.clock.cycle_until([this] { return !runs(); }, 2 * kRest)) << "the clock goes on";
  }
  /// The clock runs in each of so many cycles.
  void expect_awake(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) {
      ASSERT_TRUE(runs()) << "cycle " << i;
      b.clock.cycle();
    }
  }
  /// What `act` does takes as many cycles at whatever time after the last work.
  template <class Act>
  void expect_same_in_every_phase(Act act) {
    std::optional<std::uint64_t> usual;
    for (unsigned phase = 0; phase < kPhases; ++phase) {
      SCOPED_TRACE(phase);
      b.read("size");
      b.clock.cycle(phase);
      const std::uint64_t begin = b.clock.cycles();
      act();
      const std::uint64_t took = b.clock.cycles() - begin;
      if (!usual) usual = took;
      ASSERT_EQ(took, *usual);
    }
    sleep();
  }

  HbmBench& b = bench();
};

TEST_F(Clock, StandsStillWhenNothingIsToDo) {
  sleep();
  for (unsigned i = 0; i < 1000; ++i) {
    b.clock.cycle();
    ASSERT_FALSE(runs());
  }
  b.read("status");
  EXPECT_TRUE(runs());
  const std::uint64_t begin = b.clock.cycles();
  sleep();
  EXPECT_NEAR(static_cast<double>(b.clock.cycles() - begin), kRest, 3);
}

TEST_F(Clock, RunsThroughoutAReset) {
  b.write("rd_tap[3]", 7);
  sleep();
  b.clock.dut().rst_ni = 0;
  b.clock.cycle();
  expect_awake(200);
  b.clock.dut().rst_ni = 1;
  expect_awake(kRest / 2);
  sleep();
  EXPECT_EQ(b.read("rd_tap[3]"), 32U) << "the reset reached what the clock keeps";
}

TEST_F(Clock, ARegisterAccessTakesAsLongInEveryPhase) {
  std::uint32_t value = 0;
  expect_same_in_every_phase([&] {
    b.write("bist_seed", ++value);
    ASSERT_EQ(b.read("bist_seed"), value);
  });
}

TEST_F(Clock, ReadsAndWritesTakeAsLongInEveryPhase) {
  b.train();
  std::uint64_t word = 0;
  expect_same_in_every_phase([&] { ASSERT_EQ(b.write_burst(b.hbm_base() + 0x100, {++word, ~word}), Response::okay); });
  expect_same_in_every_phase([&] {
    const auto answers = b.read_burst(b.hbm_base() + 0x100, 2);
    ASSERT_EQ(answers.size(), 2U);
    ASSERT_EQ(answers[1].data, ~word);
  });
  expect_same_in_every_phase([&] { ASSERT_EQ(b.write_burst(b.host_base() + 0x40, {++word}), Response::okay); });
}

TEST_F(Clock, ARefusalTakesAsLongInEveryPhase) {
  expect_same_in_every_phase([&] {
    ASSERT_EQ(b.read_burst(b.hbm_base() + 0x100, 3).back().resp, Response::slverr);
    ASSERT_EQ(b.write_burst(b.hbm_base() + 0x100, {1, 2, 3}), Response::slverr);
  });
  EXPECT_EQ(b.clock.dut().irq_o, 1U) << "an interrupt outlives the clock";
}

TEST_F(Clock, AnEngineTakesAsLongInEveryPhase) {
  b.train();
  expect_same_in_every_phase([&] {
    b.command("probe");
    ASSERT_TRUE(b.clock.cycle_until([&] { return b.memory.idle() && b.fabric.checker().idle(); }, 1000));
    b.wait_idle();
  });
}

TEST_F(Clock, ASlowMemoryKeepsIt) {
  b.train();
  b.memory.manners.least_latency = b.memory.manners.most_latency = 4 * kRest;
  b.fabric.read({1, b.hbm_base() + 0x200, 0}, 0);
  b.clock.cycle(5);
  expect_awake(3 * kRest);
  b.wait_fabric();
  b.fabric.write({1, b.hbm_base() + 0x200, 0}, {{1, 0xFF, true}}, 0);
  b.clock.cycle(5);
  expect_awake(3 * kRest);
  b.wait_fabric();
}

/// Patience counts cycles, to the very one, in which nothing comes.
TEST_F(Clock, AnEngineThatWaitsKeepsItAndIsCounted) {
  b.write("patience", kPatience);
  b.memory.manners.frozen = true;
  b.write("irq_enable.train_done", 1);
  b.command("train");
  const std::uint64_t begin = b.clock.cycles();
  while (b.clock.dut().irq_o == 0 && b.clock.cycles() - begin < 2 * kPatience) expect_awake(1);
  EXPECT_NEAR(static_cast<double>(b.clock.cycles() - begin), kPatience, 4);
  b.memory.manners.frozen = false;
  ASSERT_TRUE(b.clock.cycle_until([&] { return b.memory.idle(); }, 1000));
  sleep();
}

}  // namespace
}  // namespace tb::blocks::hbm
