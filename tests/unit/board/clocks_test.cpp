#include "tb/board/clocks.h"

#include <gtest/gtest.h>

#include "tests/unit/board/table.h"

namespace tb::board::testing {
namespace {

using firstlight::Frequency;

constexpr double kScale = 5000;
constexpr double kCycle = kScale / 100e6;  // s of bench time, of the reference

struct ClocksTest : ::testing::Test {
  Clocks clocks{agenda(), PllParameters{}, kScale, 3};
  void start(std::uint8_t multiplier = 10) {
    clocks.set_generator(Frequency(100e6));
    clocks.set_supplied(true);
    clocks.set_enable(true, multiplier);
  }
  double core() { return clocks.core().base(); }
};

TEST_F(ClocksTest, LocksAfterItsReferenceCycles) {
  start();
  EXPECT_FALSE(clocks.locked());
  EXPECT_DOUBLE_EQ(core(), 0);
  pass(299 * kCycle);
  EXPECT_FALSE(clocks.locked());
  EXPECT_DOUBLE_EQ(core(), 0.6e9);
  pass(62 * kCycle);
  EXPECT_TRUE(clocks.locked());
  EXPECT_DOUBLE_EQ(core(), 1e9);
}

TEST_F(ClocksTest, NeedsSupplyReferenceAndEnable) {
  start();
  pass(400 * kCycle);
  const auto relock = [&] {
    EXPECT_FALSE(clocks.locked());
    EXPECT_DOUBLE_EQ(core(), 0);
    start();
    pass(400 * kCycle);
    EXPECT_TRUE(clocks.locked());
  };
  clocks.set_supplied(false);
  relock();
  clocks.set_generator(Frequency(0));
  relock();
  clocks.set_enable(false, 10);
  relock();
}

TEST_F(ClocksTest, ANewMultiplierLocksAnew) {
  start();
  pass(400 * kCycle);
  clocks.set_enable(true, 12);
  EXPECT_FALSE(clocks.locked());
  pass(400 * kCycle);
  EXPECT_DOUBLE_EQ(core(), 1.2e9);
}

TEST_F(ClocksTest, OutOfRangeDoesNotLock) {
  for (const int multiplier : {0, 1, 21, 255}) {
    start(static_cast<std::uint8_t>(multiplier));
    pass(1000 * kCycle);
    EXPECT_FALSE(clocks.locked()) << multiplier;
  }
  start(20);
  pass(400 * kCycle);
  EXPECT_TRUE(clocks.locked());
  clocks.set_generator(Frequency(10e6));
  pass(10000 * kCycle);
  EXPECT_DOUBLE_EQ(core(), 0) << "the reference is too slow";
}

TEST_F(ClocksTest, ThrottleHalvesAtOnceAndKeepsLock) {
  start();
  pass(400 * kCycle);
  int changes = 0;
  clocks.on_change([&] { ++changes; });
  clocks.set_throttle(true);
  EXPECT_DOUBLE_EQ(core(), 0.5e9);
  EXPECT_TRUE(clocks.locked());
  clocks.set_throttle(false);
  EXPECT_DOUBLE_EQ(core(), 1e9);
  EXPECT_EQ(changes, 2);
}

TEST_F(ClocksTest, Faults) {
  ClockFaults faults;
  faults.no_lock = true;
  clocks.set_faults(faults);
  start();
  pass(10000 * kCycle);
  EXPECT_FALSE(clocks.locked());

  faults = {};
  faults.wrong_frequency = true;
  clocks.set_faults(faults);
  pass(400 * kCycle);
  EXPECT_TRUE(clocks.locked());
  EXPECT_DOUBLE_EQ(core(), 0.75e9);

  faults = {};
  faults.reference_missing = true;
  clocks.set_faults(faults);
  EXPECT_DOUBLE_EQ(clocks.reference().base(), 0);
  pass(400 * kCycle);
  EXPECT_FALSE(clocks.locked());

  faults = {};
  faults.reference_ppm = 300;
  clocks.set_faults(faults);
  EXPECT_NEAR(clocks.reference().base(), 100.03e6, 1e-3);
  pass(400 * kCycle);
  EXPECT_NEAR(core(), 1.0003e9, 1e-1);
}

TEST_F(ClocksTest, LockGlitches) {
  ClockFaults faults;
  faults.lock_glitch = true;
  clocks.set_faults(faults);
  start();
  std::vector<double> drops;
  double down_since = -1;
  clocks.on_change([&] {
    const double now = sc_core::sc_time_stamp().to_seconds();
    if (!clocks.locked() && down_since < 0) down_since = now;
    if (clocks.locked() && down_since >= 0) {
      drops.push_back(now - down_since);
      down_since = -1;
    }
  });
  pass(2);
  ASSERT_GE(drops.size(), 6U);
  // The first is the acquisition.
  for (std::size_t i = 1; i < drops.size(); ++i) EXPECT_NEAR(drops[i], 40 * kCycle, 1e-9);
  EXPECT_DOUBLE_EQ(core(), 1e9) << "the frequency stays";
  clocks.on_change(nullptr);
}

}  // namespace
}  // namespace tb::board::testing
