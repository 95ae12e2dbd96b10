#include <gtest/gtest.h>

#include "tb/blocks/dice.h"
#include "tb/blocks/power/power_bench.h"
#include "tb/blocks/register_walk.h"

namespace tb::blocks::power {
namespace {

using golden::PowerSequencer;
using State = PowerSequencer::State;

class PowerSequence : public testing::Test {
 protected:
  void SetUp() override { bench().begin(); }
  void TearDown() override { EXPECT_EQ(bench().differences(), ""); }

  RegisterPort<Vpower_dut>& registers = bench().registers;
  Dice dice{seed()};
};

TEST_F(PowerSequence, ComesUpInOrder) {
  auto& world = bench().world;
  bench().start();
  for (const unsigned rail : {0U, 2U, 1U, 3U}) {
    world.rails |= 1U << rail;
    bench().clock.cycle(30);
  }
  EXPECT_EQ(registers.read("power.status.state"), static_cast<unsigned>(State::WaitRails));
  EXPECT_EQ(registers.read("power.status.rail_missing"), 0x10U);
  EXPECT_FALSE(bench().clock.dut().pll_en_o);
  world.rails |= 0x10;
  ASSERT_TRUE(bench().reach(State::Run, 1000));
  bench().clock.cycle(5);
  EXPECT_TRUE(bench().clock.dut().core_rst_no);
  EXPECT_EQ(registers.read("power.status.core_running"), 1U);
  EXPECT_EQ(registers.read("power.irq_status.running"), 1U);
  // The rails' order can be read back.
  EXPECT_LT(registers.read("power.rail_good_lo[2]"), registers.read("power.rail_good_lo[1]"));
  EXPECT_LT(registers.read("power.rail_good_lo[3]"), registers.read("power.rail_good_lo[4]"));
  EXPECT_GE(registers.read("power.lock_history.cycles"), 64U);
  EXPECT_EQ(registers.read("power.lock_history.rises"), 1U);
}

TEST_F(PowerSequence, StopTakesTheCoreBeforeThePll) {
  ASSERT_TRUE(bench().bring_up());
  bench().clock.cycle(20);
  bench().stop();
  ASSERT_TRUE(bench().clock.cycle_until([] { return !bench().clock.dut().core_rst_no; }, 10));
  EXPECT_TRUE(bench().clock.dut().pll_en_o);
  ASSERT_TRUE(bench().reach(State::Off, 30));
  EXPECT_FALSE(bench().clock.dut().pll_en_o);
  bench().clock.cycle(30);
  EXPECT_EQ(registers.read("power.irq_status.stopped"), 1U);
  bench().start();
  EXPECT_TRUE(bench().reach(State::Run, 1000));
  bench().clock.cycle(20);
}

TEST_F(PowerSequence, AutoStartNeedsNoCommand) {
  PowerSequencer::Config config;
  config.auto_start = true;
  config.required = 0x3;
  bench().configure(config);
  bench().world.rails = 0x3;
  EXPECT_TRUE(bench().reach(State::Run, 1000));
  bench().clock.cycle(20);
}

TEST_F(PowerSequence, ALockThatChattersIsNotBelieved) {
  bench().world.pll.lock_delay = 70;
  bench().world.pll.chatter = 200;
  ASSERT_TRUE(bench().bring_up());
  EXPECT_GE(registers.read("power.lock_history.cycles"), 200U);
  EXPECT_GT(registers.read("power.lock_history.rises"), 5U);
  bench().clock.cycle(20);
}

TEST_F(PowerSequence, TheFrequencyIsMeasured) {
  for (const unsigned mult : {1U, 4U, 10U, 16U}) {
    bench().begin();
    registers.write("power.pll.mult", mult);
    ASSERT_TRUE(bench().bring_up()) << mult;
    const auto expected = mult * 64;
    EXPECT_NEAR(registers.read("power.freq_measured.count"), expected, 1) << mult;
    EXPECT_EQ(registers.read("power.freq_measured.valid"), 1U);
    EXPECT_EQ(bench().clock.dut().pll_mult_o, mult);
  }
  bench().clock.cycle(20);
}

TEST_F(PowerSequence, AMultiplierChangesOnlyWithThePll) {
  ASSERT_TRUE(bench().bring_up());
  registers.write("power.pll.mult", 5);
  bench().clock.cycle(20);
  EXPECT_EQ(bench().clock.dut().pll_mult_o, 10U);
  bench().stop();
  ASSERT_TRUE(bench().reach(State::Off, 50));
  bench().clock.cycle(5);
  bench().start();
  ASSERT_TRUE(bench().reach(State::Run, 1000));
  EXPECT_EQ(bench().clock.dut().pll_mult_o, 5U);
  bench().clock.cycle(20);
}

TEST_F(PowerSequence, ShortGlitchesAreCountedAndNothingElse) {
  ASSERT_TRUE(bench().bring_up());
  for (int i = 0; i < 20; ++i) {
    bench().world.glitch_rails(1U << 3U, 1 + dice.below(3));
    bench().clock.cycle(20);
    bench().world.glitch_lock(1 + dice.below(11));
    bench().clock.cycle(40);
  }
  EXPECT_EQ(bench().clock.dut().state_o, static_cast<unsigned>(State::Run));
  EXPECT_EQ(registers.read("power.rail_events[3].glitches"), 20U);
  EXPECT_EQ(registers.read("power.rail_events[2].glitches"), 0U);
  registers.write("power.ctrl.clear_counts", 1);
  EXPECT_EQ(registers.read("power.rail_events[3]"), 0U);
}

TEST_F(PowerSequence, TimeRuns) {
  const auto before = registers.read("power.time_lo");
  bench().clock.cycle(1000);
  EXPECT_NEAR(registers.read("power.time_lo") - before, 1003, 5);
  EXPECT_EQ(registers.read("power.time_hi"), 0U);
}

TEST_F(PowerSequence, RegistersHoldWhatTheyShould) {
  EXPECT_EQ(walk_registers(registers, "power", seed()), std::vector<std::string>{});
  bench().begin();
}

}  // namespace
}  // namespace tb::blocks::power
