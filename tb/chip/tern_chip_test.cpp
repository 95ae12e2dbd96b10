// The chip's wrapper: power, clocks, the host port and the AXI bridge around the verilated Tern, and that a seed
// decides all.
#include "tb/chip/tern_chip.h"

#include <gtest/gtest.h>

#include <optional>

#include "firmware/tern_regs.h"
#include "tb/chip/chip_world.h"
#include "tb/chip/external_memory.h"
#include "tb/chip/models.h"

namespace {

using tb::HostPort;

using tb::kHbmBytes;
using tb::kLinkNow;
using tb::kScratch;
using tb::World;

class TernChipTest : public ::testing::Test {
 protected:
  World& w = World::instance();
  void SetUp() override { w.power_off(); }
  void TearDown() override { w.power_off(); }
};

TEST_F(TernChipTest, IsNotEvaluatedWithoutPower) {
  const std::uint64_t ref = w.chip().ref_cycles();
  const std::uint64_t core = w.chip().core_cycles();
  w.pass(1000);
  EXPECT_EQ(w.chip().ref_cycles(), ref);
  EXPECT_EQ(w.chip().core_cycles(), core);
}

TEST_F(TernChipTest, CountsTheCyclesThatTimeStandsFor) {
  w.power_on();
  const std::uint64_t before = w.chip().ref_cycles();
  const std::uint64_t core_before = w.chip().core_cycles();
  w.pass(1000);
  EXPECT_NEAR(static_cast<double>(w.chip().ref_cycles() - before), 1000, 8);
  EXPECT_EQ(w.chip().core_cycles(), core_before) << "no core clock runs yet";
  w.start_core();
  const std::uint64_t core_running = w.chip().core_cycles();
  w.pass(1000);
  EXPECT_NEAR(static_cast<double>(w.chip().core_cycles() - core_running), 10'000, 80);
}

TEST_F(TernChipTest, ComesUpAnewEachTimePowerReturns) {
  for (int i = 0; i < 3; ++i) {
    w.power_on();
    EXPECT_EQ(w.read(kScratch), std::uint32_t{TERN_CHIP_SCRATCH_VALUE_RESET}) << "round " << i << ": nothing survives";
    ASSERT_TRUE(w.write(kScratch, 0x12345678U + static_cast<std::uint32_t>(i)));
    EXPECT_EQ(w.read(kScratch), 0x12345678U + static_cast<std::uint32_t>(i));
    w.start_core();
    EXPECT_TRUE(w.read(kLinkNow).has_value());
    w.power_off();
    EXPECT_FALSE(w.outputs().core_reset_n);
    EXPECT_FALSE(w.outputs().pll_enable);
    EXPECT_TRUE(w.outputs().fault_n) << "a chip without power drives nothing";
  }
}

TEST_F(TernChipTest, AnswersNoHostAccessWithoutPowerButLaterOnes) {
  EXPECT_FALSE(w.access(false, kScratch, 0, 200).has_value());
  w.power_on();
  EXPECT_TRUE(w.write(kScratch, 0xCAFE));
  EXPECT_EQ(w.read(kScratch), 0xCAFEU);
}

TEST_F(TernChipTest, ForgetsAnAccessThatPowerCutOff) {
  w.power_on();
  bool answered = false;
  const std::uint64_t id =
      w.chip().host().request(false, kScratch, 0, [&](const HostPort::Access&) { answered = true; });
  w.power_off();
  w.chip().host().cancel(id);
  w.power_on();
  EXPECT_FALSE(answered);
  EXPECT_FALSE(w.chip().host().busy());
  EXPECT_EQ(w.read(kScratch), std::uint32_t{TERN_CHIP_SCRATCH_VALUE_RESET});
}

TEST_F(TernChipTest, RefusesCoreRegistersWhileTheCoreClockStands) {
  w.power_on();
  w.start_core();
  const auto first = w.read(kLinkNow);
  ASSERT_TRUE(first);
  w.pins().core_hz = 0;
  w.pass(10);
  const std::uint64_t stopped = w.chip().core_cycles();
  const auto refused = w.access(false, kLinkNow, 0, 5000);
  ASSERT_TRUE(refused.has_value()) << "the host port hangs";
  EXPECT_EQ(refused->outcome, HostPort::Outcome::slave_error);
  EXPECT_EQ(w.chip().core_cycles(), stopped);
  EXPECT_TRUE(w.read(kScratch).has_value()) << "the reference domain lives on";
}

TEST_F(TernChipTest, StopsWithTheReferenceClock) {
  w.power_on();
  ASSERT_TRUE(w.write(kScratch, 77));
  w.pins().reference_hz = 0;
  w.pass(100);
  const std::uint64_t stopped = w.chip().ref_cycles();
  w.pass(100);
  EXPECT_EQ(w.chip().ref_cycles(), stopped);
}

TEST_F(TernChipTest, TrainsToTheEyesOfItsMemoryLanes) {
  w.power_on();
  w.start_core();
  const auto hbm = [](std::uint32_t offset) { return TERN_HBM_BASE + offset; };
  ASSERT_TRUE(w.write(hbm(TERN_HBM_SIZE_OFFSET), kHbmBytes));
  ASSERT_TRUE(w.write(hbm(TERN_HBM_COMMAND_OFFSET), TERN_HBM_COMMAND_TRAIN_MASK));
  for (int i = 0; i < 100 && (*w.read(hbm(TERN_HBM_STATUS_OFFSET)) & TERN_HBM_STATUS_BUSY_MASK) != 0; ++i) w.pass(100);
  EXPECT_EQ(*w.read(hbm(TERN_HBM_TRAIN_RESULT_OFFSET)), 0U);
  tb::MemoryLanes& lanes = w.chip().axi().lanes();
  for (std::uint32_t lane = 0; lane < tb::MemoryLanes::lanes; ++lane) {
    for (const auto& [offset, eye] : {std::pair{TERN_HBM_RD_WINDOW_OFFSET(lane), lanes.read_eye(lane)},
                                      std::pair{TERN_HBM_WR_WINDOW_OFFSET(lane), lanes.write_eye(lane)}}) {
      const std::uint32_t found = *w.read(hbm(offset));
      EXPECT_EQ(found, 0x10000U | (eye.first + eye.width - 1) << 8U | eye.first) << "lane " << lane;
    }
  }
  EXPECT_NE(lanes.read_eye(0), lanes.write_eye(0));
  // The whole page and more, through the pins.
  ASSERT_TRUE(w.write(hbm(TERN_HBM_BIST_LENGTH_OFFSET), 0x400));
  ASSERT_TRUE(w.write(hbm(TERN_HBM_COMMAND_OFFSET), TERN_HBM_COMMAND_BIST_MASK));
  for (int i = 0; i < 200 && (*w.read(hbm(TERN_HBM_STATUS_OFFSET)) & TERN_HBM_STATUS_BUSY_MASK) != 0; ++i) w.pass(100);
  EXPECT_EQ(*w.read(hbm(TERN_HBM_STATUS_OFFSET)) & TERN_HBM_STATUS_READY_MASK, TERN_HBM_STATUS_READY_MASK)
      << "bist " << *w.read(hbm(TERN_HBM_BIST_OFFSET));
}

TEST_F(TernChipTest, DecodesNothingBeyondTheMap) {
  w.power_on();
  const auto answer = w.access(false, 0x00F000, 0, 1000);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->outcome, HostPort::Outcome::decode_error);
}

}  // namespace
