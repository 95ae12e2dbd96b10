#include <gtest/gtest.h>

#include <vector>

#include "tb/blocks/dma/dma_bench.h"

namespace tb::blocks {
namespace {

using golden::dma::Descriptor;
using golden::dma::Outcome;
using golden::dma::Status;

constexpr std::uint64_t source = 0x01'0100'0000;
constexpr std::uint64_t target = 0x02'0200'0000;

/// Scatter and gather, and what descriptors wait for.
class DmaTransfer : public testing::Test {
 protected:
  void start(const RingPlan& plan, std::uint64_t salt) {
    bench.restart(plan, salt);
    bench.fill(source, 0x20000);
    bench.fill(target, 0x40000);
  }
  static Descriptor copy(std::uint64_t from, std::uint64_t to, std::uint32_t bytes, bool chain = false) {
    Descriptor d;
    d.src = source + from;
    d.dst = target + to;
    d.bytes = bytes;
    d.tag = static_cast<std::uint16_t>(to >> 4);
    d.chain = chain;
    return d;
  }
  /// A chain of so many copies of 100 bytes.
  std::vector<Outcome> chain(unsigned links, std::uint64_t to) {
    std::vector<Outcome> outcomes;
    for (unsigned n = 0; n < links; ++n)
      outcomes.push_back(queue.submit(copy(n * std::uint64_t{512}, to + n * std::uint64_t{0x400}, 100, n + 1 < links)));
    return outcomes;
  }
  void settle(const std::vector<Outcome>& outcomes) {
    for (const Outcome& outcome : outcomes) bench.settle(outcome, outcome.good);
  }

  DmaBench& bench = DmaBench::instance();
  DmaSoftware& queue = bench.queue(3);
};

TEST_F(DmaTransfer, AChainHasOneCompletion) {
  start({}, 400);
  const auto outcomes = chain(7, 0);
  queue.doorbell();
  const auto got = queue.wait(3000);
  EXPECT_EQ(got.bytes, 700U);
  EXPECT_EQ(got.index, 6U);
  EXPECT_EQ(got.tag, outcomes.back().descriptor.tag);
  EXPECT_TRUE(got == outcomes.back().completion);
  settle(outcomes);
  bench.block.cycle(20);
  EXPECT_EQ(queue.read("comp_producer"), 1U);
  EXPECT_EQ(queue.read("descriptors"), 7U);
  EXPECT_EQ(queue.read("transfers"), 1U);
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaTransfer, AChainWaitsForItsRest) {
  start({}, 401);
  const auto outcomes = chain(5, 0);
  queue.write("doorbell", 3);
  bench.block.cycle(2000);
  EXPECT_EQ(queue.read("q_status.chain"), 1U);
  EXPECT_EQ(queue.read("q_status.busy"), 0U);
  EXPECT_EQ(queue.read("head"), 3U);
  EXPECT_EQ(queue.read("comp_producer"), 0U);
  EXPECT_FALSE(queue.poll());
  queue.doorbell();
  EXPECT_TRUE(queue.wait(3000) == outcomes.back().completion);
  settle(outcomes);
  EXPECT_EQ(queue.read("q_status.chain"), 0U);
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaTransfer, TheFirstErrorIsTheChains) {
  for (const unsigned bad : {0U, 2U, 4U}) {
    start({}, 402);
    // Two are wrong; the read error comes late in time.
    bench.port.manners.least_latency = bench.port.manners.most_latency = 50;
    bench.set_faults({{source + bad * 512 + 40}, {target + 5 * 0x400}});
    const auto outcomes = chain(7, 0);
    const auto after = queue.submit(copy(0, 0x8000, 300));
    queue.doorbell();
    const auto got = queue.wait(4000);
    EXPECT_EQ(static_cast<int>(got.status), static_cast<int>(Status::read_error));
    EXPECT_EQ(got.bytes, bad * 100 + 40);
    EXPECT_TRUE(got == outcomes.back().completion);
    settle(outcomes);
    queue.expect(after, 3000);
    queue.release();
    bench.expect_clean();
  }
}

TEST_F(DmaTransfer, ADescriptorThatCannotBeTrustedEndsItsChain) {
  start({}, 403);
  bench.set_faults({{queue.plan().ring_base + 32 + 8}, {}});
  const auto outcomes = chain(4, 0);
  queue.doorbell();
  const auto first = queue.wait(3000);
  EXPECT_EQ(static_cast<int>(first.status), static_cast<int>(Status::fetch_error));
  EXPECT_EQ(first.index, 1U);
  EXPECT_TRUE(first == outcomes[1].completion);
  const auto second = queue.wait(3000);
  EXPECT_TRUE(second == outcomes[3].completion);
  EXPECT_EQ(second.bytes, 200U);
  settle(outcomes);
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaTransfer, HaltOnErrorWaitsForTheEndOfTheChain) {
  RingPlan plan;
  plan.halt_on_error = true;
  start(plan, 404);
  bench.set_faults({{source + 512}, {}});
  const auto outcomes = chain(4, 0);
  const auto after = queue.submit(copy(0, 0x8000, 300));
  queue.doorbell();
  EXPECT_TRUE(queue.wait(3000) == outcomes.back().completion);
  settle(outcomes);
  bench.block.cycle(500);
  EXPECT_EQ(queue.read("q_status.halted"), 1U);
  EXPECT_EQ(queue.read("head"), 4U);
  // Each ran alone, so what came behind the error was passed over.
  for (unsigned n = 2; n < 4; ++n) {
    const Descriptor& d = outcomes[n].descriptor;
    EXPECT_NE(bench.memory.read(d.dst, d.bytes), bench.memory.read(d.src, d.bytes));
  }
  queue.write("q_command.resume", 1);
  queue.expect(after, 3000);
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaTransfer, AnAbortedChainCompletesWhenItsRestHasBeenPassedOver) {
  start({}, 405);
  std::vector<Outcome> outcomes;
  for (unsigned n = 0; n < 6; ++n) {
    Descriptor d = copy(0, n * std::uint64_t{0x4000}, 0x3000, n < 5);
    outcomes.push_back(queue.submit(d));
  }
  const auto after = queue.submit(copy(0, 0x20000, 300));
  const auto old = bench.memory.read(target, 0x20000);
  queue.doorbell();
  bench.block.cycle(1000);
  queue.write("q_command.abort_all", 1);
  ASSERT_TRUE(bench.block.cycle_until([&] { return queue.read("q_status.halted") != 0; }, 2000));
  EXPECT_EQ(queue.read("q_status.chain"), 1U);
  EXPECT_EQ(queue.read("comp_producer"), 0U);
  queue.write("q_command.resume", 1);
  const auto got = queue.wait(3000);
  EXPECT_EQ(static_cast<int>(got.status), static_cast<int>(Status::aborted));
  EXPECT_EQ(got.index, 5U);
  EXPECT_GT(got.bytes, 0U);
  EXPECT_LT(got.bytes, 5U * 0x3000);
  std::uint64_t left = got.bytes;
  for (const Outcome& outcome : outcomes) {
    const Descriptor& d = outcome.descriptor;
    const std::uint64_t good = std::min<std::uint64_t>(left, d.bytes);
    left -= good;
    const auto from = old.begin() + static_cast<std::ptrdiff_t>(d.dst - target);
    bench.expected.write(d.dst, std::vector<std::uint8_t>(from, from + d.bytes));
    bench.settle(outcome, good);
  }
  queue.expect(after, 3000);
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaTransfer, ResetForgetsAChainThatWasBegun) {
  start({}, 406);
  chain(3, 0);
  queue.write("doorbell", 2);
  bench.block.cycle(1000);
  EXPECT_EQ(queue.read("q_status.chain"), 1U);
  queue.write("q_ctrl.enable", 0);
  queue.write("q_command.reset", 1);
  EXPECT_EQ(queue.read("q_irq_status.refused"), 0U);
  EXPECT_EQ(queue.read("q_status.chain"), 0U);
  queue.restart({});
  const auto outcomes = chain(3, 0x8000);
  queue.doorbell();
  EXPECT_TRUE(queue.wait(3000) == outcomes.back().completion);
  EXPECT_EQ(outcomes.back().completion->bytes, 300U);
}

TEST_F(DmaTransfer, WaitsForItsSemaphoreAndTakesItOff) {
  start({}, 410);
  Descriptor d = copy(0, 0, 200);
  d.wait_sem = 9;
  d.wait_count = 3;
  const auto outcome = queue.submit(d);
  const auto after = queue.submit(copy(0, 0x1000, 200));
  queue.doorbell();
  bench.semaphores.give(9, 2);
  bench.semaphores.give(8, 15);
  bench.block.cycle(1000);
  EXPECT_EQ(queue.read("q_status.waiting"), 1U);
  EXPECT_EQ(queue.read("q_status.in_flight"), 0U);
  EXPECT_EQ(queue.read("comp_producer"), 0U);
  EXPECT_GT(queue.read("cycles_waiting"), 900U);
  bench.semaphores.give(9, 2);
  queue.expect(outcome, 1000);
  queue.expect(after, 1000);
  EXPECT_EQ(queue.read("q_status.waiting"), 0U);
  EXPECT_EQ(bench.semaphores.count(9), 1U);
  EXPECT_EQ(bench.semaphores.count(8), 15U);
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaTransfer, SignalsWhenItsBytesAreInMemoryAndOnlyThen) {
  start({}, 411);
  bench.port.manners.least_latency = bench.port.manners.most_latency = 60;
  Descriptor good = copy(0, 0, 1000);
  good.signal = true;
  good.signal_sem = 15;
  Descriptor bad = copy(0x1000, 0x1000, 1000);
  bad.signal = true;
  bad.signal_sem = 3;
  bench.set_faults({{}, {target + 0x1000 + 400}});
  const auto first = queue.submit(good);
  const auto second = queue.submit(bad);
  queue.doorbell();
  ASSERT_TRUE(bench.block.cycle_until([&] { return bench.semaphores.count(15) == 1; }, 3000));
  EXPECT_EQ(bench.memory.read(target, 1000), bench.memory.read(source, 1000));
  queue.expect(first, 1000);
  queue.expect(second, 3000);
  EXPECT_EQ(bench.semaphores.given[15], 1U);
  EXPECT_EQ(bench.semaphores.given[3], 0U);
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaTransfer, SemaphoresOrderQueuesAmongThemselves) {
  start({}, 412);
  // A buffer of two halves: one queue fills it, another empties it, each tells the other by a semaphore.
  constexpr std::uint8_t filled = 1;
  constexpr std::uint8_t empty = 2;
  constexpr std::uint64_t buffer = 0x00'0020'0000;
  bench.fill(buffer, 0x400);
  bench.semaphores.give(empty, 2);
  DmaSoftware& filler = bench.queue(0);
  DmaSoftware& emptier = bench.queue(2);
  bench.port.manners.most_latency = 30;
  bench.port.manners.least_latency = 5;
  std::vector<Outcome> fills;
  std::vector<Outcome> empties;
  for (unsigned n = 0; n < 12; ++n) {
    Descriptor in;
    in.src = source + n * std::uint64_t{0x200};
    in.dst = buffer + n % 2 * 0x200;
    in.bytes = 0x1FF;
    in.wait_sem = empty;
    in.wait_count = 1;
    in.signal = true;
    in.signal_sem = filled;
    Descriptor out;
    out.src = in.dst;
    out.dst = target + n * std::uint64_t{0x200};
    out.bytes = in.bytes;
    out.wait_sem = filled;
    out.wait_count = 1;
    out.signal = true;
    out.signal_sem = empty;
    fills.push_back(filler.submit(in));
    empties.push_back(emptier.submit(out));
  }
  emptier.doorbell();
  filler.doorbell();
  for (unsigned n = 0; n < 12; ++n) {
    EXPECT_TRUE(filler.wait(3000) == fills[n].completion);
    EXPECT_TRUE(emptier.wait(3000) == empties[n].completion);
  }
  EXPECT_EQ(bench.semaphores.count(empty), 2U);
  EXPECT_EQ(bench.semaphores.count(filled), 0U);
  filler.release();
  emptier.release();
  bench.expect_clean();
}

TEST_F(DmaTransfer, AWaitThatIsAbortedHasNotStarted) {
  start({}, 413);
  Descriptor d = copy(0, 0, 200);
  d.wait_count = 1;
  const auto outcome = queue.submit(d);
  queue.doorbell();
  bench.block.cycle(300);
  queue.write("q_command.abort_all", 1);
  bench.block.cycle(20);
  EXPECT_EQ(queue.read("q_status.halted"), 1U);
  EXPECT_EQ(queue.read("head"), 0U);
  bench.semaphores.give(0);
  bench.block.cycle(200);
  EXPECT_EQ(bench.semaphores.count(0), 1U);
  queue.write("q_command.resume", 1);
  queue.expect(outcome, 1000);
  EXPECT_EQ(bench.semaphores.count(0), 0U);
  queue.release();
  bench.expect_clean();
}

/// The semaphore comes about when the abort does: either the descriptor started and has its completion, or it did not
/// and the semaphore is still there.
TEST_F(DmaTransfer, NoSemaphoreIsLostToAnAbort) {
  unsigned started = 0;
  for (unsigned delay = 0; delay < 24; ++delay) {
    start({}, 414);
    Descriptor d = copy(0, 0, 8);
    d.wait_count = 1;
    queue.submit(d);
    queue.doorbell();
    bench.block.cycle(300 + delay);
    bench.semaphores.give(0);
    queue.write("q_command.abort_all", 1);
    bench.block.cycle(200);
    EXPECT_EQ(queue.read("q_status.halted"), 1U);
    const bool completed = queue.poll().has_value();
    EXPECT_EQ(bench.semaphores.count(0), completed ? 0U : 1U);
    EXPECT_EQ(queue.read("head"), completed ? 1U : 0U);
    started += completed;
  }
  EXPECT_GT(started, 0U);
}

TEST_F(DmaTransfer, DmbWaitsForEverythingBeforeIt) {
  start({}, 415);
  bench.port.manners.least_latency = bench.port.manners.most_latency = 80;
  std::vector<Outcome> outcomes;
  outcomes.push_back(queue.submit(copy(0, 0, 500)));
  for (unsigned n = 1; n < 8; ++n) {
    Descriptor d = copy(0, n * std::uint64_t{0x400}, 500);
    d.src = target + (n - 1) * std::uint64_t{0x400};
    d.dmb = true;
    outcomes.push_back(queue.submit(d));
  }
  queue.doorbell();
  for (const Outcome& outcome : outcomes) queue.expect(outcome, 3000);
  EXPECT_EQ(bench.memory.read(target + 7 * 0x400, 500), bench.memory.read(source, 500));
  queue.release();
  bench.expect_clean();
}

}  // namespace
}  // namespace tb::blocks
