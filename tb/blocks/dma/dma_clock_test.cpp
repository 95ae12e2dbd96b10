// The engine's own clock: it stands still when nothing is to do, and no one can tell, because whatever asks something
// of the engine takes as long as if it had never stopped.
#include <gtest/gtest.h>

#include <optional>

#include "tb/blocks/dma/dma_bench.h"

namespace tb::blocks {
namespace {

using golden::dma::Descriptor;
using golden::dma::Outcome;

constexpr std::uint64_t source = 0x01'0100'0000;
constexpr std::uint64_t target = 0x02'0200'0000;
constexpr std::uint32_t command_abort = 1U << 0;
constexpr std::uint32_t command_resume = 1U << 1;
constexpr unsigned rest = 64;           // cycles from the last work to the clock's last edge, about
constexpr unsigned phases = rest + 10;  // of a stimulus: from the last work to well after the stop

class DmaClock : public testing::Test {
 protected:
  void SetUp() override {
    bench.restart({}, 700);
    bench.fill(source, 0x10000);
    bench.fill(target, 0x10000);
  }
  bool runs() { return bench.block.dut().clock_on_o != 0; }
  void sleep() {
    ASSERT_TRUE(bench.block.cycle_until([this] { return !runs(); }, 2 * rest)) << "the clock goes on";
  }
  /// The clock runs in each of so many cycles.
  void expect_awake(unsigned cycles) {
    for (unsigned i = 0; i < cycles; ++i) {
      ASSERT_TRUE(runs()) << "cycle " << i;
      bench.block.cycle();
    }
  }
  Descriptor plan(std::uint32_t bytes) {
    Descriptor d;
    d.src = source;
    d.dst = target;
    d.bytes = bytes;
    return d;
  }
  /// Cycles from the doorbell to the completion's interrupt.
  std::uint64_t copy(std::uint32_t bytes) {
    Descriptor d = plan(bytes);
    d.irq = true;
    const Outcome outcome = queue.submit(d);
    const std::uint64_t begin = bench.block.cycles();
    queue.doorbell();
    EXPECT_TRUE(bench.block.cycle_until([this] { return bench.block.dut().irq_o != 0; }, 1000));
    const std::uint64_t took = bench.block.cycles() - begin;
    queue.expect(outcome);
    queue.release();
    queue.write("q_irq_status", 0x7F);
    return took;
  }

  DmaBench& bench = DmaBench::instance();
  DmaSoftware& queue = bench.queue(2);
};

TEST_F(DmaClock, StandsStillWhenNothingIsToDo) {
  sleep();
  for (unsigned i = 0; i < 1000; ++i) {
    bench.block.cycle();
    ASSERT_FALSE(runs());
  }
  queue.read("q_status");
  EXPECT_TRUE(runs());
  const std::uint64_t begin = bench.block.cycles();
  sleep();
  EXPECT_NEAR(static_cast<double>(bench.block.cycles() - begin), rest, 3);
  bench.expect_clean();
}

TEST_F(DmaClock, RunsThroughoutAReset) {
  sleep();
  bench.block.dut().rst_ni = 0;
  bench.block.cycle();
  expect_awake(200);
  bench.block.dut().rst_ni = 1;
  expect_awake(rest / 2);
  sleep();
  EXPECT_EQ(queue.read("q_ctrl"), 0U) << "the reset reached what the clock keeps";
}

TEST_F(DmaClock, ARegisterAccessTakesAsLongInEveryPhase) {
  std::optional<std::uint64_t> usual;
  for (unsigned phase = 0; phase < phases; ++phase) {
    queue.write("comp_size", 4);
    bench.block.cycle(phase);
    const std::uint64_t begin = bench.block.cycles();
    ASSERT_EQ(queue.read("comp_size"), 4U);
    queue.write("comp_size", 5);
    ASSERT_EQ(queue.read("comp_size"), 5U);
    const std::uint64_t took = bench.block.cycles() - begin;
    if (!usual) usual = took;
    ASSERT_EQ(took, *usual) << "phase " << phase;
  }
  queue.write("comp_size", 4);
}

TEST_F(DmaClock, ACopyTakesAsLongInEveryPhase) {
  queue.write("q_irq_mask", 1);
  std::optional<std::uint64_t> usual;
  std::uint32_t busy = 0;
  for (unsigned phase = 0; phase < phases; ++phase) {
    bench.registers.write("dma.command", 1);
    bench.block.cycle(phase);
    const std::uint64_t took = copy(600);
    const std::uint32_t cycles = bench.registers.read("dma.cycles_busy");
    if (!usual) {
      usual = took;
      busy = cycles;
    }
    ASSERT_EQ(took, *usual) << "phase " << phase;
    ASSERT_EQ(cycles, busy) << "phase " << phase;
    ASSERT_EQ(queue.read("transfers"), 1U);
  }
  bench.expect_clean();
}

TEST_F(DmaClock, AQueueThatWaitsKeepsItAndIsCounted) {
  Descriptor d = plan(64);
  d.wait_sem = 3;
  d.wait_count = 2;
  const Outcome waits = queue.submit(d);
  queue.doorbell();
  ASSERT_TRUE(bench.block.cycle_until([this] { return bench.semaphores.attempts > 1; }, 200));
  const std::uint32_t before = queue.read("cycles_waiting");
  const std::uint64_t begin = bench.block.cycles();
  expect_awake(10 * rest);
  const std::uint32_t counted = queue.read("cycles_waiting") - before;
  EXPECT_EQ(counted, bench.block.cycles() - begin);
  bench.semaphores.give(3, 2);
  queue.expect(waits);
  queue.release();
  sleep();
  bench.expect_clean();
}

TEST_F(DmaClock, AHaltedQueueLetsItStopAndResumeGoesOn) {
  for (unsigned phase = 0; phase < phases; ++phase) {
    queue.write("q_command", command_abort);
    const Outcome outcome = queue.submit(plan(64));
    queue.doorbell();
    bench.block.cycle(phase);
    queue.write("q_command", command_resume);
    queue.expect(outcome);
    queue.release();
  }
  queue.write("q_command", command_abort);
  sleep();
  EXPECT_EQ(queue.read("q_status.halted"), 1U);
  queue.write("q_command", command_resume);
  bench.expect_clean();
}

TEST_F(DmaClock, ABusThatDoesNotAnswerKeepsItForTheWatchdog) {
  bench.registers.write("dma.watchdog", 5 * rest);
  bench.registers.write("dma.irq_mask", 1U << 8U);
  bench.port.manners.frozen = true;
  const Outcome outcome = queue.submit(plan(64));
  queue.doorbell();
  expect_awake(4 * rest);
  EXPECT_EQ(bench.block.dut().irq_o, 0U);
  expect_awake(2 * rest);
  EXPECT_EQ(bench.block.dut().irq_o, 1U);
  bench.port.manners.frozen = false;
  queue.expect(outcome);
  queue.release();
  sleep();
  EXPECT_EQ(bench.block.dut().irq_o, 1U) << "an interrupt outlives the clock";
  bench.expect_clean();
}

/// What a burst owes to the throttle is paid in cycles, also in those in which nothing else is to do.
TEST_F(DmaClock, TheThrottlesDebtKeepsIt) {
  bench.registers.write("dma.throttle", 1U | 200U << 8U);
  bench.block.dut().throttle_i = 1;
  const Outcome outcome = queue.submit(plan(64));
  queue.doorbell();
  queue.expect(outcome);
  queue.release();
  expect_awake(1200);
  ASSERT_TRUE(bench.block.cycle_until([this] { return !runs(); }, 8U * 200U)) << "8 beats at 1 in 200 are paid";
  bench.block.dut().throttle_i = 0;
  bench.expect_clean();
}

TEST_F(DmaClock, TheThrottleIsSeenInEveryPhase) {
  for (unsigned phase = 0; phase < phases; ++phase) {
    bench.block.dut().throttle_i = phase % 2 == 0;
    bench.block.cycle(4);
    ASSERT_EQ(bench.registers.read("dma.status.throttled"), phase % 2 == 0 ? 1U : 0U) << "phase " << phase;
    bench.block.cycle(phase);
  }
  bench.block.dut().throttle_i = 0;
}

}  // namespace
}  // namespace tb::blocks
