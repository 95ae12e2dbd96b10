#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <iostream>
#include <string>

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
    return queue.submit(d);
  }
  /// A register of the engine by its whole name ("dma.throttle"), or of the queue ("tail").
  std::uint32_t read(const std::string& name) {
    return name.rfind("dma.", 0) == 0 ? bench.registers.read(name) : queue.read(name);
  }
  void write(const std::string& name, std::uint32_t value) {
    name.rfind("dma.", 0) == 0 ? bench.registers.write(name, value) : queue.write(name, value);
  }

  DmaBench& bench = DmaBench::instance();
  DmaSoftware& queue = bench.queue(1);
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
  ASSERT_EQ(static_cast<int>(bad.completion->status), static_cast<int>(Status::read_error));
  queue.doorbell();
  queue.expect(first);
  queue.expect(bad);
  bench.block.cycle(1000);
  EXPECT_EQ(read("q_status.halted"), 1U);
  EXPECT_EQ(read("q_status.busy"), 0U);
  EXPECT_EQ(read("q_irq_status.halted"), 1U);
  EXPECT_EQ(read("q_irq_status.error"), 1U);
  EXPECT_EQ(read("head"), 2U);
  EXPECT_EQ(read("first_error.valid"), 1U);
  EXPECT_EQ(read("first_error.index"), 1U);
  EXPECT_EQ(read("first_error.cause"), static_cast<unsigned>(Status::read_error));
  EXPECT_EQ(read("first_error_addr_lo"), static_cast<std::uint32_t>(source + 0x1000 + 512));
  EXPECT_EQ(read("first_error_addr_hi"), 1U);
  EXPECT_NE(bench.memory.read(after.descriptor.dst, 500), bench.expected.read(after.descriptor.dst, 500));
  write("q_command", command_clear_error);
  EXPECT_EQ(read("first_error.valid"), 0U);
  write("q_command", command_resume);
  queue.expect(after);
  queue.expect(last);
  EXPECT_EQ(read("q_status.halted"), 0U);
  queue.release();
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
    ASSERT_EQ(static_cast<int>(bad.completion->status), static_cast<int>(Status::write_error));
    ASSERT_EQ(bad.completion->bytes, 1024U - 5);
    queue.doorbell();
    queue.expect(before);
    queue.expect(bad);
    queue.expect(after);
    queue.release();
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

/// Copies on a queue, in order of submission, that are due.
struct Stream {
  std::deque<Outcome> due;
  void submit(DmaBench& bench, unsigned q, std::uint64_t base, unsigned count) {
    for (unsigned n = 0; n < count; ++n) {
      Descriptor d;
      d.bytes = static_cast<std::uint32_t>(bench.chance(0.3) ? bench.random(1, 2000) : bench.random(1, 400));
      d.rows = static_cast<std::uint32_t>(bench.chance(0.5) ? 1 : bench.random(2, 6));
      d.src_stride = static_cast<std::uint32_t>(bench.random(0, 0x1000));
      d.dst_stride = d.bytes + static_cast<std::uint32_t>(bench.random(0, 40));
      d.src = source + bench.random(0, 0x8000);
      d.dst = base + n * std::uint64_t{0x3000} + bench.random(0, 20);
      due.push_back(bench.queue(q).submit(d));
    }
    bench.queue(q).doorbell();
  }
};
constexpr std::uint64_t area = 0x3000 * 12;

/// What an aborted queue left: completions in order up to its head, `ok` or `aborted`, and nothing of what had not
/// started.
void settle_aborted(DmaBench& bench, DmaSoftware& queue, std::deque<Outcome>& due, const golden::axi::SparseMemory& old,
                    unsigned& aborted) {
  const std::uint32_t head = queue.read("head");
  unsigned ended = 0;
  while (const auto got = queue.poll()) {
    const Outcome outcome = due.front();
    due.pop_front();
    ASSERT_EQ(got->index, ended++);
    ASSERT_TRUE(got->status == Status::ok || got->status == Status::aborted) << static_cast<int>(got->status);
    aborted += got->status == Status::aborted;
    const Descriptor& d = outcome.descriptor;
    ASSERT_EQ(got->status == Status::ok, got->bytes == d.total());
    // The model has copied it all: put back what was there.
    if (got->status == Status::aborted) {
      for (std::uint32_t row = 0; row < d.row_count(); ++row)
        bench.expected.write(d.dst_of(row), old.read(d.dst_of(row), d.bytes));
    }
    bench.settle(outcome, got->bytes);
  }
  ASSERT_EQ(ended, head);
  for (const Outcome& outcome : due) {
    const Descriptor& d = outcome.descriptor;
    for (std::uint32_t row = 0; row < d.row_count(); ++row)
      ASSERT_EQ(bench.memory.read(d.dst_of(row), d.bytes), old.read(d.dst_of(row), d.bytes));
  }
}

/// Aborts one queue at a random moment, and the others run on. What had started ends in order; the rest runs after
/// resume.
void abort_once(DmaBench& bench, std::uint64_t salt, unsigned& aborted) {
  bench.restart({}, salt);
  bench.port.manners.most_latency = 30;
  bench.port.manners.answer = 0.9;
  bench.port.manners.reorder = true;
  bench.fill(source, 0x20000);
  bench.fill(target, 4 * area);
  const golden::axi::SparseMemory old = bench.expected;
  std::array<Stream, 4> streams;
  for (unsigned q = 0; q < 4; ++q) streams.at(q).submit(bench, q, target + q * area, 12);
  const auto victim = static_cast<unsigned>(bench.random(0, 3));
  DmaSoftware& queue = bench.queue(victim);
  bench.block.cycle(bench.random(0, 3000));
  queue.write("q_command", command_abort);
  ASSERT_TRUE(bench.block.cycle_until([&] { return queue.read("q_status.halted") != 0; }, 3000));
  settle_aborted(bench, queue, streams.at(victim).due, old, aborted);
  if (testing::Test::HasFatalFailure()) return;
  queue.release();
  for (unsigned q = 0; q < 4; ++q) {
    if (q == victim) continue;
    for (const Outcome& outcome : streams.at(q).due) bench.queue(q).expect(outcome, 30000);
    bench.queue(q).release();
    EXPECT_EQ(bench.queue(q).read("q_status.halted"), 0U);
  }
  EXPECT_EQ(queue.read("q_status.halted"), 1U);
  queue.write("q_command", command_resume);
  for (const Outcome& outcome : streams.at(victim).due) queue.expect(outcome, 30000);
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaControl, AbortOfOneQueueAtAnyMomentThenResume) {
  unsigned aborted = 0;
  for (std::uint64_t i = 0; i < 60 && !HasFatalFailure(); ++i) abort_once(bench, 3000 + i, aborted);
  std::cout << aborted << " copies were aborted\n";
  EXPECT_GT(aborted, 20U) << "aborts hit nothing";
}

TEST_F(DmaControl, AbortThenResetForgetsTheRest) {
  start({}, 303);
  for (unsigned i = 0; i < 8; ++i) copy(0, i * std::uint64_t{0x4000}, 0x3000);
  queue.doorbell();
  bench.block.cycle(600);
  write("q_command", command_abort);
  ASSERT_TRUE(bench.block.cycle_until([&] { return read("q_status.halted") != 0; }, 2000));
  bench.block.cycle(200);
  write("q_command", command_reset);
  EXPECT_EQ(read("q_irq_status.refused"), 0U);
  EXPECT_EQ(read("tail"), 0U);
  EXPECT_EQ(read("q_status.halted"), 0U);
  // The rings start over at index 0 and its phase, on an enabled engine.
  const auto bursts = bench.port.reads.size();
  bench.block.cycle(200);
  EXPECT_EQ(bench.port.reads.size(), bursts);
}

TEST_F(DmaControl, DisableLetsTheStartedEndAndEnableGoesOn) {
  start({}, 304);
  std::deque<Outcome> due;
  for (unsigned i = 0; i < 12; ++i) due.push_back(copy(i, i * std::uint64_t{0x1000}, 700));
  queue.doorbell();
  bench.block.cycle(150);
  write("q_ctrl.enable", 0);
  bench.block.cycle(3000);
  EXPECT_EQ(read("q_status.busy"), 0U);
  const std::uint32_t head = read("head");
  EXPECT_LT(head, 12U);
  EXPECT_EQ(read("comp_producer"), head);
  write("q_ctrl.enable", 1);
  for (const auto& outcome : due) queue.expect(outcome);
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaControl, LostCompletionHalts) {
  start({}, 305);
  bench.set_faults({{}, {queue.plan().comp_base + 16}});
  const auto first = copy(0, 0, 100);
  copy(0, 0x1000, 100);
  queue.doorbell();
  queue.expect(first);
  bench.block.cycle(1000);
  EXPECT_EQ(read("comp_lost"), 1U);
  EXPECT_EQ(read("q_irq_status.comp_lost"), 1U);
  EXPECT_EQ(read("q_status.halted"), 1U);
  EXPECT_EQ(read("comp_producer"), 2U);
}

TEST_F(DmaControl, InterruptsComeByCountAndAtTheEnd) {
  RingPlan plan;
  plan.irq_coalesce = 3;
  start(plan, 306);
  write("q_irq_mask", 1);
  auto& dut = bench.block.dut();
  unsigned edges = 0;
  for (unsigned i = 0; i < 10; ++i) copy(0, i * std::uint64_t{0x1000}, 2000, true);
  queue.doorbell();
  for (unsigned i = 0; i < 20000 && edges < 3; ++i) {
    bench.block.cycle();
    if (!dut.irq_o) continue;
    ++edges;
    // Four, eight, and the two that are left when work runs out.
    EXPECT_EQ(read("comp_producer"), edges == 3 ? 10U : edges * 4);
    write("q_irq_status", 1);
    bench.block.cycle(3);
    EXPECT_FALSE(dut.irq_o);
  }
  EXPECT_EQ(edges, 3U);
  while (queue.poll()) {
  }
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaControl, NoInterruptWithoutFlagOrMask) {
  start({}, 307);
  for (const bool flag : {true, false}) {
    write("q_irq_mask", flag ? 0x7EU : 1U);
    const auto outcome = copy(0, flag ? 0 : 0x1000, 100, flag);
    queue.doorbell();
    queue.expect(outcome);
    bench.block.cycle(50);
    EXPECT_EQ(read("q_irq_status.completion"), flag ? 1U : 0U);
    EXPECT_FALSE(bench.block.dut().irq_o);
    write("q_irq_status", 1);
  }
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaControl, WatchdogSeesABusThatStandsStill) {
  start({}, 308);
  write("dma.watchdog", 300);
  const auto outcome = copy(0, 0, 5000);
  queue.doorbell();
  bench.block.cycle(100);
  bench.port.manners.frozen = true;
  bench.block.cycle(250);
  EXPECT_EQ(read("dma.irq_status.watchdog"), 0U);
  bench.block.cycle(100);
  EXPECT_EQ(read("dma.irq_status.watchdog"), 1U);
  bench.port.manners.frozen = false;
  write("dma.irq_status", 1U << 8);
  queue.expect(outcome);
  queue.release();
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
    queue.doorbell();
    queue.expect(outcome);
    const double rate = 8192.0 / static_cast<double>(bench.block.cycles() - begin);
    const double duty = static_cast<double>(run) / period;
    std::cout << "throttle " << run << " of " << period << ": " << rate << " beats/cycle\n";
    EXPECT_LT(rate, duty * 1.005);
    EXPECT_GT(rate, duty * 0.97);
    EXPECT_EQ(read("dma.cycles_throttled") != 0, run < period);
    queue.release();
    bench.expect_clean();
  }
}

TEST_F(DmaControl, ThrottleOfZeroStopsUntilReleased) {
  start({}, 310);
  write("dma.throttle", 4U << 8);
  bench.block.dut().throttle_i = 1;
  bench.block.cycle(4);
  const auto outcome = copy(0, 0, 4096);
  queue.doorbell();
  bench.block.cycle(1000);
  EXPECT_EQ(read("dma.bytes_read_lo"), 0U);
  bench.block.dut().throttle_i = 0;
  queue.expect(outcome);
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaControl, CountersCountAndClear) {
  start({}, 311);
  const auto outcome = copy(3, 1, 1000);
  queue.doorbell();
  queue.expect(outcome);
  queue.release();
  EXPECT_EQ(read("descriptors"), 1U);
  EXPECT_EQ(read("dma.bytes_read_lo"), (3 + 1000 + 7) / 8 * 8U);
  EXPECT_EQ(read("dma.bytes_written_lo"), 1000U);
  EXPECT_EQ(read("dma.errors[0]"), 1U);
  EXPECT_GT(read("dma.cycles_busy"), 125U);
  EXPECT_GT(read("dma.cycles_read_stall"), 0U);
  write("dma.command", 1);
  for (const char* name :
       {"descriptors", "transfers", "dma.bytes_read_lo", "dma.bytes_written_lo", "dma.errors[0]", "dma.cycles_busy"}) {
    EXPECT_EQ(read(name), 0U) << name;
  }
  bench.expect_clean();
}

}  // namespace
}  // namespace tb::blocks
