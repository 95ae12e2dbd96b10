#include <gtest/gtest.h>

#include "tb/blocks/dice.h"
#include "tb/blocks/power/power_bench.h"

namespace tb::blocks::power {
namespace {

using golden::PowerSequencer;
using Cause = PowerSequencer::Cause;
using State = PowerSequencer::State;

class PowerFault : public testing::Test {
 protected:
  void SetUp() override { bench().begin(); }
  void TearDown() override { EXPECT_EQ(bench().differences(), ""); }

  void expect_fault(Cause cause, unsigned rail, State state) {
    EXPECT_EQ(bench().clock.dut().state_o, static_cast<unsigned>(State::Fault));
    EXPECT_EQ(registers.read("power.fault.cause"), static_cast<unsigned>(cause));
    EXPECT_EQ(registers.read("power.fault.rail"), rail);
    EXPECT_EQ(registers.read("power.fault.state"), static_cast<unsigned>(state));
    EXPECT_FALSE(bench().clock.dut().fault_no);
    EXPECT_TRUE(bench().clock.dut().irq_o);
  }

  RegisterPort<Vpower_dut>& registers = bench().registers;
  Dice dice{seed()};
};

// Two synchroniser stages, the deglitch time, and one cycle each for level and state.
TEST_F(PowerFault, ABrownOutStopsTheCoreInBoundedTime) {
  for (unsigned rail = 0; rail < 5; ++rail) {
    bench().begin();
    ASSERT_TRUE(bench().bring_up());
    bench().clock.cycle(20);
    bench().world.rails &= ~(1U << rail);
    const auto begin = bench().clock.cycles();
    ASSERT_TRUE(bench().clock.cycle_until([] { return !bench().clock.dut().core_rst_no; }, 50));
    EXPECT_LE(bench().clock.cycles() - begin, 4U + 5U);
    bench().clock.cycle(10);
    expect_fault(Cause::Brownout, rail, State::Run);
    EXPECT_EQ(registers.read("power.fault.rails_before"), 0x1fU);
    EXPECT_EQ(registers.read("power.fault.rails_after"), 0x1fU & ~(1U << rail));
  }
}

TEST_F(PowerFault, OnlyTheFirstIsKept) {
  ASSERT_TRUE(bench().bring_up());
  bench().world.rails = 0x1b;
  bench().clock.cycle(50);
  bench().world.rails = 0x0b;
  bench().clock.cycle(50);
  bench().world.thermtrip = true;
  bench().clock.cycle(50);
  expect_fault(Cause::Brownout, 2, State::Run);
  EXPECT_EQ(registers.read("power.secondary_count"), 2U);
  EXPECT_EQ(registers.read("power.brownout_count"), 2U);
  EXPECT_EQ(registers.read("power.thermtrip_count"), 1U);
  bench().world.thermtrip = false;
  bench().world.rails = 0x1f;
  bench().clock.cycle(20);
  bench().clear_fault();
  bench().clock.cycle(5);
  EXPECT_EQ(registers.read("power.fault"), 0U);
  EXPECT_TRUE(bench().clock.dut().fault_no);
  bench().start();
  EXPECT_TRUE(bench().reach(State::Run, 1000));
  bench().clock.cycle(20);
}

// The rail takes the PLL with it, in the same cycle: the rail is the cause.
TEST_F(PowerFault, ARailIsBlamedBeforeThePllThatItTook) {
  ASSERT_TRUE(bench().bring_up());
  bench().world.rails &= ~2U;
  bench().world.pll.lock_lost = true;
  bench().clock.cycle(50);
  expect_fault(Cause::Brownout, 1, State::Run);
}

TEST_F(PowerFault, ALostLockIsSticky) {
  ASSERT_TRUE(bench().bring_up());
  bench().world.glitch_lock(30);
  bench().clock.cycle(60);
  expect_fault(Cause::LockLost, PowerSequencer::kNoRail, State::Run);
  EXPECT_EQ(registers.read("power.lock_history.lost"), 1U);
}

TEST_F(PowerFault, AWrongFrequencyIsNotReleased) {
  for (const double frequency : {0.5, 0.25, 2.0, 1.1, 0.9, 0.0}) {
    bench().begin();
    bench().world.pll.frequency = frequency;
    EXPECT_FALSE(bench().bring_up());
    expect_fault(Cause::Freq, PowerSequencer::kNoRail, State::FreqCheck);
    EXPECT_NEAR(static_cast<double>(registers.number("power.freq_error.value")), (frequency - 1) * 640, 1.5)
        << frequency;
    EXPECT_EQ(registers.read("power.freq_error_count"), 1U);
  }
}

TEST_F(PowerFault, TheToleranceIsThatOfTheRegister) {
  bench().world.pll.frequency = 1.05;
  registers.write("power.freq.tolerance", 30);
  EXPECT_FALSE(bench().bring_up());
  bench().begin();
  bench().world.pll.frequency = 1.05;
  registers.write("power.freq.tolerance", 34);
  bench().world.rails = 0x1f;
  registers.write("power.ctrl.start", 1);
  EXPECT_TRUE(bench().reach(State::Run, 1000));
  bench().begin();
}

TEST_F(PowerFault, TheMonitorSeesADriftInRun) {
  PowerSequencer::Config config;
  config.freq_monitor = true;
  bench().configure(config);
  ASSERT_TRUE(bench().bring_up());
  bench().clock.cycle(300);
  EXPECT_EQ(bench().clock.dut().state_o, static_cast<unsigned>(State::Run));
  bench().world.pll.frequency = 0.8;
  bench().clock.cycle(200);
  expect_fault(Cause::Freq, PowerSequencer::kNoRail, State::Run);
  bench().begin();
}

TEST_F(PowerFault, WaitsRunOut) {
  PowerSequencer::Config config;
  config.timeout_rails = 300;
  config.timeout_lock = 400;
  bench().configure(config);
  bench().world.rails = 0x17;
  bench().start();
  bench().clock.cycle(280);
  EXPECT_EQ(bench().clock.dut().state_o, static_cast<unsigned>(State::WaitRails));
  bench().clock.cycle(50);
  expect_fault(Cause::RailTimeout, 3, State::WaitRails);
  bench().clear_fault();
  bench().clock.cycle(5);
  bench().world.rails = 0x1f;
  bench().world.pll.locks = false;
  bench().clock.cycle(20);
  bench().start();
  bench().clock.cycle(450);
  expect_fault(Cause::LockTimeout, PowerSequencer::kNoRail, State::PllLock);
}

TEST_F(PowerFault, ZeroIsNoTimeout) {
  PowerSequencer::Config config;
  config.timeout_rails = 0;
  config.timeout_lock = 0;
  bench().configure(config);
  bench().world.pll.locks = false;
  bench().start();
  bench().clock.cycle(5000);
  bench().world.rails = 0x1f;
  bench().clock.cycle(5000);
  EXPECT_EQ(bench().clock.dut().state_o, static_cast<unsigned>(State::PllLock));
  bench().world.pll.locks = true;
  EXPECT_TRUE(bench().reach(State::Run, 1000));
  bench().clock.cycle(20);
}

TEST_F(PowerFault, ATripStopsAndBarsTheStart) {
  ASSERT_TRUE(bench().bring_up());
  bench().world.thermtrip = true;
  bench().clock.cycle(20);
  expect_fault(Cause::Thermtrip, PowerSequencer::kNoRail, State::Run);
  bench().clear_fault();
  bench().clock.cycle(20);
  EXPECT_EQ(bench().clock.dut().state_o, static_cast<unsigned>(State::Off));
  bench().start();
  bench().clock.cycle(20);
  expect_fault(Cause::Thermtrip, PowerSequencer::kNoRail, State::WaitRails);
}

TEST_F(PowerFault, ARailThatBecomesRequiredWhileBadIsABrownOut) {
  PowerSequencer::Config config;
  config.required = 0x0f;
  bench().configure(config);
  bench().world.rails = 0x0f;
  bench().start();
  ASSERT_TRUE(bench().reach(State::Run, 1000));
  bench().registers.write("power.rails.required", 0x1f);
  bench().board.model.config.required = 0x1f;
  bench().clock.cycle(20);
  expect_fault(Cause::Brownout, 4, State::Run);
}

// The self-test of the latch: every bit of cause and rail, in off and in run, without disturbing anything.
TEST_F(PowerFault, InjectionProvesTheLatchInOff) {
  for (unsigned cause = 1; cause <= 6; ++cause) {
    const unsigned rail = dice.below(8);
    bench().inject(static_cast<Cause>(cause), rail);
    bench().clock.cycle(5);
    EXPECT_EQ(registers.read("power.fault.valid"), 1U);
    EXPECT_EQ(registers.read("power.fault.cause"), cause);
    EXPECT_EQ(registers.read("power.fault.rail"), rail);
    EXPECT_EQ(registers.read("power.fault.injected"), 1U);
    EXPECT_TRUE(bench().clock.dut().fault_no);
    EXPECT_TRUE(bench().clock.dut().irq_o);
    bench().inject(static_cast<Cause>(cause % 6 + 1), 0);
    bench().clock.cycle(5);
    EXPECT_EQ(registers.read("power.fault.cause"), cause) << "the second one must not be latched";
    EXPECT_EQ(registers.read("power.secondary_count"), cause);
    bench().clear_fault();
    bench().clock.cycle(5);
    EXPECT_EQ(registers.read("power.fault"), 0U);
  }
  EXPECT_EQ(bench().clock.dut().state_o, static_cast<unsigned>(State::Off));
  registers.write("power.fault_inject", 0);
  registers.write("power.fault_inject", 15);
  bench().clock.cycle(5);
  EXPECT_EQ(registers.read("power.fault.valid"), 0U);
}

TEST_F(PowerFault, InjectionInRunStopsUnlessItIsATest) {
  PowerSequencer::Config config;
  config.fault_test = true;
  bench().configure(config);
  ASSERT_TRUE(bench().bring_up());
  bench().inject(Cause::LockLost, 7);
  bench().clock.cycle(10);
  EXPECT_EQ(bench().clock.dut().state_o, static_cast<unsigned>(State::Run));
  EXPECT_TRUE(bench().clock.dut().core_rst_no);
  EXPECT_EQ(registers.read("power.fault.state"), static_cast<unsigned>(State::Run));
  bench().clear_fault();
  bench().clock.cycle(5);
  EXPECT_EQ(bench().clock.dut().state_o, static_cast<unsigned>(State::Run));
  config.fault_test = false;
  bench().configure(config);
  bench().inject(Cause::Thermtrip, 7);
  bench().clock.cycle(10);
  expect_fault(Cause::Thermtrip, 7, State::Run);
}

}  // namespace
}  // namespace tb::blocks::power
