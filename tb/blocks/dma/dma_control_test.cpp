#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iostream>

#include "tb/blocks/dma/dma_bench.h"

namespace tb::blocks {
namespace {

using golden::axi::Response;
using golden::dma::Descriptor;
using golden::dma::Outcome;
using golden::dma::Status;

constexpr std::uint64_t source = 0x01'0100'0000;
constexpr std::uint64_t target = 0x02'0200'0000;
constexpr std::uint32_t command_abort = 1U << 0;
constexpr std::uint32_t command_resume = 1U << 1;
constexpr std::uint32_t command_reset = 1U << 2;
constexpr std::uint32_t command_clear_error = 1U << 3;
constexpr std::uint32_t command_clear_counters = 1U << 4;

class DmaControl : public testing::Test {
 protected:
  void start(const RingPlan& plan, std::uint64_t salt) {
    bench.restart(plan, salt);
    bench.fill(source, 0x20000);
    bench.fill(target, 0x40000);
  }
  Outcome copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes, bool irq = false) {
    Descriptor d;
    d.src = source + from;
    d.dst = target + to;
    d.bytes = bytes;
    d.tag = static_cast<std::uint16_t>(to >> 4);
    d.irq = irq;
    return bench.submit(d);
  }
  std::uint32_t read(const char* name) { return bench.registers.read(name); }
  void write(const char* name, std::uint32_t value) { bench.registers.write(name, value); }

  DmaBench& bench = DmaBench::instance();
};

TEST_F(DmaControl, HaltOnErrorStopsRightBehindTheBadOne) {
  RingPlan plan;
  plan.halt_on_error = true;
  start(plan, 300);
  bench.set_faults({{source + 0x1000 + 512}, {}});
  const auto first = copy(0, 0, 300);
  const auto bad = copy(0x1003, 0x1000, 2000);
  const auto after = copy(0x3000, 0x3000, 500);
  const auto last = copy(0x4000, 0x4000, 500);
  ASSERT_EQ(static_cast<int>(bad.completion.status), static_cast<int>(Status::read_error));
  bench.doorbell();
  bench.expect(first);
  bench.expect(bad);
  bench.block.cycle(1000);
  EXPECT_EQ(read("dma.status.halted"), 1U);
  EXPECT_EQ(read("dma.status.busy"), 0U);
  EXPECT_EQ(read("dma.irq_status.halted"), 1U);
  EXPECT_EQ(read("dma.irq_status.error"), 1U);
  EXPECT_EQ(read("dma.head"), 2U);
  EXPECT_EQ(read("dma.first_error.valid"), 1U);
  EXPECT_EQ(read("dma.first_error.index"), 1U);
  EXPECT_EQ(read("dma.first_error.cause"), static_cast<unsigned>(Status::read_error));
  EXPECT_EQ(read("dma.first_error_addr_lo"), static_cast<std::uint32_t>(source + 0x1000 + 512));
  EXPECT_EQ(read("dma.first_error_addr_hi"), 1U);
  EXPECT_NE(bench.memory.read(after.descriptor.dst, 500), bench.expected.read(after.descriptor.dst, 500));
  write("dma.command", command_clear_error);
  EXPECT_EQ(read("dma.first_error.valid"), 0U);
  write("dma.command", command_resume);
  bench.expect(after);
  bench.expect(last);
  EXPECT_EQ(read("dma.status.halted"), 0U);
  bench.release();
  bench.expect_clean();
}

TEST_F(DmaControl, WriteErrorEndsItsDescriptorOnly) {
  for (const auto response : {Response::slverr, Response::decerr}) {
    start({}, 301);
    bench.port.error = response;
    bench.port.manners.least_latency = bench.port.manners.most_latency = 30;
    bench.set_faults({{}, {target + 0x8000 + 1024}});
    const auto before = copy(0, 0, 3000);
    const auto bad = copy(0x1001, 0x8005, 0x8000);
    const auto after = copy(0x3000, 0x4000, 3000);
    ASSERT_EQ(static_cast<int>(bad.completion.status), static_cast<int>(Status::write_error));
    ASSERT_EQ(bad.completion.bytes, 1024U - 5);
    bench.doorbell();
    bench.expect(before);
    bench.expect(bad);
    bench.expect(after);
    bench.release();
    EXPECT_EQ(read("dma.errors[4]"), 1U);
    // Behind the failed burst only what was on its way when its response came: 8 bursts written, and what the FIFOs
    // hold read.
    const std::uint32_t intended = 3000 + 1024 + 3000;
    EXPECT_LE(read("dma.bytes_written_lo"), intended + 9 * 128);
    EXPECT_LE(read("dma.bytes_read_lo"), intended + 9 * 128 + (128 + 64 + 16) * 8);
    std::cout << "behind a write error: " << read("dma.bytes_written_lo") - intended << " bytes written, "
              << read("dma.bytes_read_lo") - intended << " read\n";
    bench.expect_clean();
  }
  bench.port.error = Response::slverr;
}

/// Aborts at a random moment. Whatever had started ends in order; the rest runs after resume.
void abort_once(DmaBench& bench, std::uint64_t salt, unsigned& aborted) {
  RingPlan plan;
  plan.ring_log2 = 4;
  bench.restart(plan, salt);
  bench.port.manners.most_latency = 30;
  bench.port.manners.answer = 0.9;
  bench.port.manners.reorder = true;
  bench.fill(source, 0x20000);
  bench.fill(target, 0x40000);
  std::deque<Outcome> due;
  std::vector<std::uint8_t> olds = bench.expected.read(target, 0x40000);
  for (unsigned n = 0; n < 12; ++n) {
    Descriptor d;
    d.bytes = static_cast<std::uint32_t>(bench.chance(0.3) ? bench.random(1, 12000) : bench.random(1, 400));
    d.src = source + bench.random(0, 0x8000);
    d.dst = target + n * std::uint64_t{0x3000} + bench.random(0, 20);
    due.push_back(bench.submit(d));
  }
  bench.doorbell();
  bench.block.cycle(bench.random(0, 1500));
  bench.registers.write("dma.command", command_abort);
  ASSERT_TRUE(bench.block.cycle_until([&] { return bench.registers.read("dma.status.halted") != 0; }, 3000));
  const std::uint32_t head = bench.registers.read("dma.head");
  unsigned ended = 0;
  while (const auto got = bench.poll()) {
    const Outcome outcome = due.front();
    due.pop_front();
    ASSERT_EQ(got->index, ended++);
    ASSERT_TRUE(got->status == Status::ok || got->status == Status::aborted) << static_cast<int>(got->status);
    aborted += got->status == Status::aborted;
    ASSERT_EQ(got->status == Status::ok, got->bytes == outcome.descriptor.bytes);
    const auto fresh = bench.expected.read(outcome.descriptor.src, outcome.descriptor.bytes);
    for (std::uint64_t i = 0; i < outcome.descriptor.bytes; ++i) {
      const std::uint64_t addr = outcome.descriptor.dst + i;
      if (i < got->bytes) {
        ASSERT_EQ(bench.memory.read(addr), fresh[i]);
      } else {
        ASSERT_TRUE(bench.memory.read(addr) == fresh[i] || bench.memory.read(addr) == olds[addr - target]);
      }
      bench.expected.write(addr, bench.memory.read(addr));
    }
  }
  ASSERT_EQ(ended, head);
  // What had not started has not touched memory.
  for (const Outcome& outcome : due) {
    const std::uint64_t dst = outcome.descriptor.dst;
    const auto old = olds.begin() + static_cast<std::ptrdiff_t>(dst - target);
    ASSERT_TRUE(
        std::equal(old, old + outcome.descriptor.bytes, bench.memory.read(dst, outcome.descriptor.bytes).begin()));
  }
  bench.release();
  bench.registers.write("dma.command", command_resume);
  for (const Outcome& outcome : due) bench.expect(outcome, 30000);
  bench.release();
  bench.expect_clean();
}

TEST_F(DmaControl, AbortAtAnyMomentThenResume) {
  unsigned aborted = 0;
  for (std::uint64_t i = 0; i < 60 && !HasFatalFailure(); ++i) abort_once(bench, 3000 + i, aborted);
  EXPECT_GT(aborted, 30U) << "aborts hit nothing";
}

TEST_F(DmaControl, AbortThenResetForgetsTheRest) {
  start({}, 303);
  for (unsigned i = 0; i < 8; ++i) copy(0, i * std::uint64_t{0x4000}, 0x3000);
  bench.doorbell();
  bench.block.cycle(600);
  write("dma.command", command_abort);
  ASSERT_TRUE(bench.block.cycle_until([&] { return read("dma.status.halted") != 0; }, 2000));
  bench.block.cycle(200);
  write("dma.command", command_reset);
  EXPECT_EQ(read("dma.irq_status.refused"), 0U);
  EXPECT_EQ(read("dma.tail"), 0U);
  EXPECT_EQ(read("dma.status.halted"), 0U);
  // The rings start over at index 0 and its phase, on an enabled engine.
  const auto bursts = bench.port.reads.size();
  bench.block.cycle(200);
  EXPECT_EQ(bench.port.reads.size(), bursts);
}

TEST_F(DmaControl, DisableLetsTheStartedEndAndEnableGoesOn) {
  start({}, 304);
  std::deque<Outcome> due;
  for (unsigned i = 0; i < 12; ++i) due.push_back(copy(i, i * std::uint64_t{0x1000}, 700));
  bench.doorbell();
  bench.block.cycle(150);
  write("dma.ctrl.enable", 0);
  bench.block.cycle(3000);
  EXPECT_EQ(read("dma.status.busy"), 0U);
  const std::uint32_t head = read("dma.head");
  EXPECT_LT(head, 12U);
  EXPECT_EQ(read("dma.comp_producer"), head);
  write("dma.ctrl.enable", 1);
  for (const auto& outcome : due) bench.expect(outcome);
  bench.release();
  bench.expect_clean();
}

TEST_F(DmaControl, LostCompletionHalts) {
  start({}, 305);
  const RingPlan plan;
  bench.set_faults({{}, {plan.comp_base + 16}});
  const auto first = copy(0, 0, 100);
  copy(0, 0x1000, 100);
  bench.doorbell();
  bench.expect(first);
  bench.block.cycle(1000);
  EXPECT_EQ(read("dma.comp_lost"), 1U);
  EXPECT_EQ(read("dma.irq_status.comp_lost"), 1U);
  EXPECT_EQ(read("dma.status.halted"), 1U);
  EXPECT_EQ(read("dma.comp_producer"), 2U);
}

TEST_F(DmaControl, InterruptsComeByCountAndAtTheEnd) {
  RingPlan plan;
  plan.irq_coalesce = 3;
  start(plan, 306);
  write("dma.irq_mask", 1);
  auto& dut = bench.block.dut();
  unsigned edges = 0;
  for (unsigned i = 0; i < 10; ++i) copy(0, i * std::uint64_t{0x1000}, 2000, true);
  bench.doorbell();
  for (unsigned i = 0; i < 20000 && edges < 3; ++i) {
    bench.block.cycle();
    if (!dut.irq_o) continue;
    ++edges;
    // Four, eight, and the two that are left when work runs out.
    EXPECT_EQ(read("dma.comp_producer"), edges == 3 ? 10U : edges * 4);
    write("dma.irq_status", 1);
    bench.block.cycle(3);
    EXPECT_FALSE(dut.irq_o);
  }
  EXPECT_EQ(edges, 3U);
  while (bench.poll()) {
  }
  bench.release();
  bench.expect_clean();
}

TEST_F(DmaControl, NoInterruptWithoutFlagOrMask) {
  start({}, 307);
  for (const bool flag : {true, false}) {
    write("dma.irq_mask", flag ? 0xFEU : 1U);
    const auto outcome = copy(0, flag ? 0 : 0x1000, 100, flag);
    bench.doorbell();
    bench.expect(outcome);
    bench.block.cycle(50);
    EXPECT_EQ(read("dma.irq_status.completion"), flag ? 1U : 0U);
    EXPECT_FALSE(bench.block.dut().irq_o);
    write("dma.irq_status", 1);
  }
  bench.release();
  bench.expect_clean();
}

TEST_F(DmaControl, WatchdogSeesABusThatStandsStill) {
  start({}, 308);
  write("dma.watchdog", 300);
  const auto outcome = copy(0, 0, 5000);
  bench.doorbell();
  bench.block.cycle(100);
  bench.port.manners.frozen = true;
  bench.block.cycle(250);
  EXPECT_EQ(read("dma.irq_status.watchdog"), 0U);
  bench.block.cycle(100);
  EXPECT_EQ(read("dma.irq_status.watchdog"), 1U);
  bench.port.manners.frozen = false;
  write("dma.irq_status", 1U << 5);
  bench.expect(outcome);
  bench.release();
  bench.block.cycle(1000);
  EXPECT_EQ(read("dma.irq_status.watchdog"), 0U) << "an idle engine has nothing to wait for";
  bench.expect_clean();
}

TEST_F(DmaControl, ThrottleHoldsTheDuty) {
  for (const auto& [run, period] : {std::pair{1U, 4U}, {3U, 4U}, {1U, 16U}, {5U, 5U}, {100U, 255U}}) {
    start({}, 309);
    write("dma.throttle", run | period << 8);
    bench.block.dut().throttle_i = 1;
    bench.block.cycle(4);
    EXPECT_EQ(read("dma.status.throttled"), 1U);
    const auto outcome = copy(0, 0, 65536);
    const std::uint64_t begin = bench.block.cycles();
    bench.doorbell();
    bench.expect(outcome);
    const double rate = 8192.0 / static_cast<double>(bench.block.cycles() - begin);
    const double duty = static_cast<double>(run) / period;
    std::cout << "throttle " << run << " of " << period << ": " << rate << " beats/cycle\n";
    EXPECT_LT(rate, duty * 1.005);
    EXPECT_GT(rate, duty * 0.97);
    EXPECT_EQ(read("dma.cycles_throttled") != 0, run < period);
    bench.release();
    bench.expect_clean();
  }
}

TEST_F(DmaControl, ThrottleOfZeroStopsUntilReleased) {
  start({}, 310);
  write("dma.throttle", 4U << 8);
  bench.block.dut().throttle_i = 1;
  bench.block.cycle(4);
  const auto outcome = copy(0, 0, 4096);
  bench.doorbell();
  bench.block.cycle(1000);
  EXPECT_EQ(read("dma.bytes_read_lo"), 0U);
  bench.block.dut().throttle_i = 0;
  bench.expect(outcome);
  bench.release();
  bench.expect_clean();
}

TEST_F(DmaControl, CountersCountAndClear) {
  start({}, 311);
  const auto outcome = copy(3, 1, 1000);
  bench.doorbell();
  bench.expect(outcome);
  bench.release();
  EXPECT_EQ(read("dma.descriptors"), 1U);
  EXPECT_EQ(read("dma.bytes_read_lo"), (3 + 1000 + 7) / 8 * 8U);
  EXPECT_EQ(read("dma.bytes_written_lo"), 1000U);
  EXPECT_EQ(read("dma.errors[0]"), 1U);
  EXPECT_GT(read("dma.cycles_busy"), 125U);
  EXPECT_GT(read("dma.cycles_read_stall"), 0U);
  write("dma.command", command_clear_counters);
  for (const char* name :
       {"dma.descriptors", "dma.bytes_read_lo", "dma.bytes_written_lo", "dma.errors[0]", "dma.cycles_busy"}) {
    EXPECT_EQ(read(name), 0U) << name;
  }
  bench.expect_clean();
}

}  // namespace
}  // namespace tb::blocks
