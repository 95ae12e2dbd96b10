// Training and probes against the golden model: windows of any place and width, every way to fail, and training again.
#include <gtest/gtest.h>

#include "tb/blocks/hbm/hbm_bench.h"
#include "tb/blocks/register_walk.h"

namespace tb::blocks::hbm {
namespace {

using golden::hbm::Eyes;
using golden::hbm::kLanes;
using golden::hbm::kTaps;
using golden::hbm::LaneEye;
using golden::hbm::Reason;
using golden::hbm::TrainingResult;
using golden::hbm::Window;

constexpr std::uint64_t kAllTaps = ~std::uint64_t{0};

std::uint64_t taps(unsigned first, unsigned last) { return (kAllTaps >> (63 - last)) & (kAllTaps << first); }
std::uint64_t random_window(Dice& dice, unsigned least) {
  const unsigned width = least + dice.below(40);
  const unsigned first = dice.below(kTaps - std::min(width, kTaps - 1));
  return taps(first, std::min(first + width - 1, kTaps - 1));
}
Eyes random_eyes(Dice& dice, unsigned least) {
  Eyes eyes{};
  for (LaneEye& eye : eyes) eye = {random_window(dice, least), random_window(dice, least)};
  return eyes;
}

class Training : public testing::Test {
 protected:
  void SetUp() override { b.restart(); }
  void TearDown() override { b.expect_clean(); }

  std::optional<Window> window(const std::string& which, unsigned lane) {
    const std::string name = which + "_window[" + std::to_string(lane) + "]";
    if (b.read(name + ".valid") == 0) return std::nullopt;
    return Window{b.read(name + ".first"), b.read(name + ".last")};
  }
  unsigned tap(const std::string& which, unsigned lane) {
    return b.read(which + "_tap[" + std::to_string(lane) + "].tap");
  }
  Reason reason() { return static_cast<Reason>(b.read("train_result.reason")); }

  void expect(const TrainingResult& golden) {
    EXPECT_EQ(reason(), golden.reason);
    EXPECT_EQ(b.read("status.trained"), golden.passed() ? 1U : 0U);
    EXPECT_EQ(b.read("status.open"), golden.passed() ? 1U : 0U);
    if (!golden.passed()) {
      EXPECT_EQ(b.read("train_result.lane"), golden.lane);
      EXPECT_EQ(b.read("train_result.direction"), golden.write ? 1U : 0U);
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      SCOPED_TRACE("lane " + std::to_string(lane));
      EXPECT_TRUE(window("rd", lane) == golden.rd[lane]);
      EXPECT_TRUE(window("wr", lane) == golden.wr[lane]);
      EXPECT_EQ(tap("rd", lane), golden.rd_tap[lane]);
      EXPECT_EQ(tap("wr", lane), golden.wr_tap[lane]);
      EXPECT_EQ((b.clock.dut().rd_delay_o >> (6 * lane)) & 0x3FU, golden.rd_tap[lane]);
      EXPECT_EQ((b.clock.dut().wr_delay_o >> (6 * lane)) & 0x3FU, golden.wr_tap[lane]);
    }
  }

  HbmBench& b = bench();
  Dice dice{seed()};
};

TEST_F(Training, RegistersHoldWhatIsWritten) {
  EXPECT_EQ(walk_registers(b.registers, "hbm", seed()), std::vector<std::string>{});
}

TEST_F(Training, FindsWindowsOfAnyPlaceAndWidth) {
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const unsigned min_window = 1 + dice.below(16);
    const Eyes eyes = random_eyes(dice, 2);
    b.memory.eyes = eyes;
    b.memory.manners.least_latency = 1 + dice.below(4);
    b.memory.manners.most_latency = b.memory.manners.least_latency + dice.below(8);
    b.memory.manners.ready = dice.coin() ? 1.0 : 0.8;
    b.memory.manners.answer = dice.coin() ? 1.0 : 0.8;
    b.write("train_ctrl.min_window", min_window);
    b.write("train_ctrl.settle", dice.below(6));
    b.run("train");
    expect(golden::hbm::train(eyes, min_window));
    if (HasFailure()) return;
  }
}

TEST_F(Training, TakesTheLongestOfSeveralRuns) {
  Eyes eyes{};
  for (LaneEye& eye : eyes) eye = {taps(0, 9) | taps(20, 35) | taps(40, 55), taps(3, 12) | taps(14, 25)};
  b.memory.eyes = eyes;
  b.run("train");
  expect(golden::hbm::train(eyes, 8));
  EXPECT_TRUE(window("rd", 0) == (Window{20, 35})) << "the first of the longest";
}

TEST_F(Training, NamesALaneWithoutAnEyeAndDoesTheOthers) {
  Eyes eyes = random_eyes(dice, 12);
  eyes[5].rd = 0;
  eyes[6].wr = 0;
  b.memory.eyes = eyes;
  b.run("train");
  expect(golden::hbm::train(eyes, 8));
  EXPECT_EQ(reason(), Reason::no_eye);
  EXPECT_EQ(b.read("train_result.lane"), 5U);
  eyes[5] = eyes[6] = {taps(10, 30), taps(20, 40)};
  b.memory.eyes = eyes;
  b.run("train");
  expect(golden::hbm::train(eyes, 8));
}

TEST_F(Training, NamesANarrowWindowAndItsDirection) {
  for (const bool write : {false, true}) {
    Eyes eyes = random_eyes(dice, 12);
    (write ? eyes[3].wr : eyes[3].rd) = taps(29, 35);  // 7 taps
    b.memory.eyes = eyes;
    b.run("train");
    expect(golden::hbm::train(eyes, 8));
    EXPECT_EQ(reason(), Reason::narrow);
    EXPECT_EQ(b.read("train_result.lane"), 3U);
    EXPECT_EQ(b.read("train_result.direction"), write ? 1U : 0U);
    b.write("train_ctrl.min_window", 7);
    b.run("train");
    EXPECT_EQ(b.read("status.trained"), 1U) << "the limit is a register";
    b.write("train_ctrl.min_window", 8);
  }
}

/// Cycles until the sweep of the read taps, or the write taps, goes through `tap`.
bool reach(HbmBench& b, bool write, unsigned tap) {
  const auto at = [&b, write](unsigned t) {
    const QData delay = write ? b.clock.dut().wr_delay_o : b.clock.dut().rd_delay_o;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (((delay >> (6 * lane)) & 0x3FU) != t) return false;
    return true;
  };
  return b.clock.cycle_until([&] { return at(tap == 0 ? tap : tap - 1); }, 100'000) &&
         b.clock.cycle_until([&] { return at(tap); }, 2'000);
}

TEST_F(Training, NamesAWindowThatIsGoneWhenItIsLookedFor) {
  b.command("train");
  ASSERT_TRUE(reach(b, false, 0));
  b.memory.eyes[2].rd = 0;
  b.wait_idle();
  EXPECT_EQ(reason(), Reason::no_window);
  EXPECT_EQ(b.read("train_result.lane"), 2U);
  EXPECT_EQ(b.read("train_result.direction"), 0U);
  b.memory.eyes[2].rd = kAllTaps;
  b.train();
  b.command("train");
  ASSERT_TRUE(reach(b, true, 1));
  b.memory.eyes[7].wr = 1;  // tap 0 has been seen
  b.wait_idle();
  EXPECT_EQ(reason(), Reason::narrow);
  EXPECT_EQ(b.read("train_result.lane"), 7U);
  EXPECT_EQ(b.read("train_result.direction"), 1U);
}

TEST_F(Training, ChecksItsCentres) {
  b.command("train");
  ASSERT_TRUE(reach(b, true, 63));
  // Past the last tap of the sweep, before the check.
  b.memory.eyes[4].wr = taps(63, 63);
  b.wait_idle();
  EXPECT_EQ(reason(), Reason::check);
  EXPECT_EQ(b.read("train_result.lane"), 4U);
  EXPECT_EQ(b.read("status.trained"), 0U);
}

TEST_F(Training, EndsWithABusError) {
  b.memory.bus_errors = {b.read("size") + 4096U};
  b.run("train");
  EXPECT_EQ(reason(), Reason::bus_error);
  EXPECT_EQ(b.read("status.trained"), 0U);
  b.memory.bus_errors.clear();
  b.train();
}

TEST_F(Training, EndsWhenTheMemoryDoesNotAnswer) {
  b.write("patience", 300);
  b.memory.manners.frozen = true;
  b.run("train");
  EXPECT_EQ(reason(), Reason::no_answer);
  EXPECT_EQ(b.read("status.waiting"), 1U);
  b.write("irq_status", 0xF);
  b.command("train");
  EXPECT_EQ(b.read("irq_status.refused"), 1U) << "the answer may still come";
  EXPECT_EQ(b.read("status.busy"), 0U);
  b.memory.manners.frozen = false;
  b.clock.cycle(200);
  EXPECT_EQ(b.read("status.waiting"), 0U);
  b.train();
}

TEST_F(Training, StopsByCommandAndRunsAgain) {
  for (int round = 0; round < 20; ++round) {
    b.command("train");
    b.clock.cycle(1 + dice.below(4000));
    b.command("stop");
    b.wait_idle(2000);
    EXPECT_EQ(reason(), Reason::stopped);
    EXPECT_EQ(b.read("status.trained"), 0U);
  }
  b.train();
}

TEST_F(Training, ClearsWhatPassedBefore) {
  b.train();
  b.run("bist");
  EXPECT_EQ(b.read("status.ready"), 1U);
  b.memory.eyes[0].rd = 0;
  b.run("train");
  EXPECT_EQ(b.read("status") & 0xFU, 0U);
}

TEST_F(Training, ProbesCountTheWrongBitsOfEachLane) {
  Eyes eyes{};
  for (LaneEye& eye : eyes) eye = {taps(20 + dice.below(8), 40 + dice.below(8)), taps(16, 47)};
  b.memory.eyes = eyes;
  b.train();
  for (unsigned at = 0; at < kTaps; at += 1 + dice.below(4)) {
    SCOPED_TRACE("tap " + std::to_string(at));
    b.write("tap_all", 0x8000U | (32U << 8U));  // write taps
    b.write("probe_ctrl", 1);
    const unsigned number = b.read("probe_number");
    b.run("probe");
    EXPECT_EQ(b.read("probe_number"), number + 1);
    b.write("tap_all", 0x80U | at);  // read taps
    b.write("probe_ctrl", 2);
    b.memory.flipped = {};
    b.run("probe");
    EXPECT_EQ(b.read("probe_number"), number + 1);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      EXPECT_EQ(b.read("lane_errors[" + std::to_string(lane) + "]"), b.memory.flipped[lane]);
      EXPECT_EQ(b.memory.flipped[lane] == 0, ((eyes[lane].rd >> at) & 1U) != 0);
    }
  }
  EXPECT_EQ(b.read("status.trained"), 1U) << "software's taps are software's business";
  b.write("probe_ctrl", 0);
  b.write("irq_status", 0xF);
  b.command("probe");
  EXPECT_EQ(b.read("irq_status.refused"), 1U);
}

TEST_F(Training, SingleTapsAreWritable) {
  b.write("rd_tap[3]", 9);
  b.write("wr_tap[6]", 54);
  EXPECT_EQ((b.clock.dut().rd_delay_o >> 18U) & 0x3FU, 9U);
  EXPECT_EQ((b.clock.dut().wr_delay_o >> 36U) & 0x3FU, 54U);
}

}  // namespace
}  // namespace tb::blocks::hbm
