#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iostream>

#include "tb/blocks/dma/dma_bench.h"

namespace tb::blocks {
namespace {

using golden::dma::Descriptor;
using golden::dma::Outcome;
using golden::dma::queues;
using golden::dma::Status;

constexpr std::uint64_t source = 0x01'0100'0000;
constexpr std::uint64_t target = 0x02'0200'0000;
constexpr std::uint64_t area = 0x4'0000;

/// What one queue does, the others do not feel.
class DmaFair : public testing::Test {
 protected:
  void start(const RingPlan& plan, std::uint64_t salt) {
    bench.restart(plan, salt);
    bench.fill(source, area);
    bench.fill(target, queues * area);
  }
  /// The n-th copy of a queue: rows of so many bytes.
  static Descriptor copy(unsigned q, unsigned n, std::uint32_t bytes, std::uint32_t rows) {
    Descriptor d;
    d.src = source + n * std::uint64_t{512};
    d.dst = target + q * area + n * std::uint64_t{0x2000};
    d.bytes = bytes;
    d.rows = rows;
    d.src_stride = bytes;
    d.dst_stride = bytes;
    d.tag = static_cast<std::uint16_t>(q << 12 | n);
    return d;
  }
  /// The others than `out` each do eight copies in so many cycles at the most.
  void expect_others_run(unsigned out, std::uint64_t limit = 8000) {
    std::array<std::deque<Outcome>, queues> due;
    for (unsigned q = 0; q < queues; ++q) {
      for (unsigned n = 16; n < 24 && q != out; ++n) due.at(q).push_back(bench.queue(q).submit(copy(q, n, 256, 8)));
      if (q != out) bench.queue(q).doorbell();
    }
    const std::uint64_t begin = bench.block.cycles();
    for (unsigned q = 0; q < queues; ++q) {
      for (const Outcome& outcome : due.at(q)) bench.queue(q).expect(outcome, limit);
      if (q != out) bench.queue(q).release();
    }
    EXPECT_LT(bench.block.cycles() - begin, limit) << "beside queue " << out;
  }

  DmaBench& bench = DmaBench::instance();
};

TEST_F(DmaFair, BusyQueuesShareAlike) {
  start({}, 500);
  bench.port.manners.least_latency = bench.port.manners.most_latency = 30;
  // Long rows, short rows, many descriptors and few: each queue moves 64 KiB.
  std::array<std::deque<Outcome>, queues> due;
  due[0].push_back(bench.queue(0).submit(copy(0, 0, 65536, 1)));
  for (unsigned n = 0; n < 8; ++n) due[1].push_back(bench.queue(1).submit(copy(1, n, 256, 32)));
  for (unsigned n = 0; n < 16; ++n) due[2].push_back(bench.queue(2).submit(copy(2, n, 4096, 1)));
  for (unsigned n = 0; n < 16; ++n) due[3].push_back(bench.queue(3).submit(copy(3, n, 128, 32)));
  for (unsigned q = 0; q < queues; ++q) bench.queue(q).doorbell();
  const std::uint64_t begin = bench.block.cycles();
  std::array<std::uint64_t, queues> ends{};
  while (std::any_of(due.begin(), due.end(), [](const auto& d) { return !d.empty(); })) {
    ASSERT_LT(bench.block.cycles() - begin, 50000U);
    bench.block.cycle();
    for (unsigned q = 0; q < queues; ++q) {
      const auto got = bench.queue(q).poll();
      if (!got) continue;
      EXPECT_TRUE(*got == due.at(q).front().completion);
      due.at(q).pop_front();
      ends.at(q) = bench.block.cycles() - begin;
    }
  }
  for (unsigned q = 0; q < queues; ++q) {
    std::cout << "queue " << q << " ended after " << ends.at(q) << " cycles\n";
    bench.queue(q).release();
  }
  EXPECT_LT(*std::max_element(ends.begin(), ends.end()), 4 * 8192 * 1.06);
  EXPECT_GT(*std::min_element(ends.begin(), ends.end()), 4 * 8192 * 0.94);
  bench.expect_clean();
}

TEST_F(DmaFair, ASmallCopyOvertakesAnEndlessOne) {
  start({}, 501);
  bench.port.manners.least_latency = bench.port.manners.most_latency = 30;
  // 1 MiB over the same destination, row after row.
  Descriptor endless = copy(0, 0, 65536, 16);
  endless.src_stride = endless.dst_stride = 0;
  const auto outcome = bench.queue(0).submit(endless);
  bench.queue(0).doorbell();
  bench.block.cycle(2000);
  for (unsigned n = 0; n < 20; ++n) {
    const auto small = bench.queue(2).submit(copy(2, n % 8, 64, 1));
    bench.queue(2).doorbell();
    const std::uint64_t begin = bench.block.cycles();
    bench.queue(2).expect(small, 3000);
    // A turn of the other, the pieces and the data of it that are in the engine already, and four times the latency.
    EXPECT_LT(bench.block.cycles() - begin, 128U + 3 * 128 + 128 + 64 + 4 * 35 + 60);
    bench.queue(2).release();
  }
  bench.queue(0).expect(outcome, 200000);
  bench.queue(0).release();
  bench.expect_clean();
}

TEST_F(DmaFair, AFullCompletionRingBlocksNoOther) {
  for (unsigned q = 0; q < queues; ++q) {
    std::array<RingPlan, queues> plans;
    plans.at(q).comp_log2 = 2;
    bench.restart_each(plans, 502 + q);
    bench.fill(source, area);
    bench.fill(target, queues * area);
    std::deque<Outcome> held;
    for (unsigned n = 0; n < 8; ++n) held.push_back(bench.queue(q).submit(copy(q, n, 40, 1)));
    bench.queue(q).doorbell();
    bench.block.cycle(2000);
    EXPECT_EQ(bench.queue(q).read("q_status.comp_full"), 1U);
    expect_others_run(q);
    EXPECT_EQ(bench.queue(q).read("comp_producer"), 4U);
    for (const Outcome& outcome : held) {
      bench.queue(q).expect(outcome, 2000);
      bench.queue(q).release();
    }
    bench.expect_clean();
  }
}

TEST_F(DmaFair, ASemaphoreThatDoesNotComeBlocksNoOther) {
  for (unsigned q = 0; q < queues; ++q) {
    start({}, 510 + q);
    Descriptor d = copy(q, 0, 100, 1);
    d.wait_sem = 4;
    d.wait_count = 15;
    const auto outcome = bench.queue(q).submit(d);
    bench.queue(q).doorbell();
    bench.block.cycle(300);
    EXPECT_EQ(bench.queue(q).read("q_status.waiting"), 1U);
    expect_others_run(q);
    bench.semaphores.give(4, 15);
    bench.queue(q).expect(outcome, 1000);
    bench.queue(q).release();
    bench.expect_clean();
  }
}

TEST_F(DmaFair, EveryWaitingQueueGetsItsTries) {
  start({}, 520);
  std::array<Outcome, queues> outcomes;
  for (unsigned q = 0; q < queues; ++q) {
    Descriptor d = copy(q, 0, 100, 1);
    d.wait_sem = static_cast<std::uint8_t>(q);
    d.wait_count = 1;
    outcomes.at(q) = bench.queue(q).submit(d);
    bench.queue(q).doorbell();
  }
  bench.block.cycle(300);
  for (const unsigned q : {2U, 0U, 3U, 1U}) {
    bench.semaphores.give(q);
    bench.queue(q).expect(outcomes.at(q), 300);
    bench.queue(q).release();
  }
  bench.expect_clean();
}

TEST_F(DmaFair, AHaltOnErrorBlocksNoOther) {
  for (unsigned q = 0; q < queues; ++q) {
    std::array<RingPlan, queues> plans;
    plans.at(q).halt_on_error = true;
    bench.restart_each(plans, 530 + q);
    bench.fill(source, area);
    bench.fill(target, queues * area);
    Descriptor d = copy(q, 0, 100, 1);
    d.src = 0x50;
    const auto bad = bench.queue(q).submit(d);
    const auto after = bench.queue(q).submit(copy(q, 1, 100, 1));
    bench.queue(q).doorbell();
    bench.queue(q).expect(bad, 1000);
    bench.block.cycle(100);
    EXPECT_EQ(bench.registers.read("dma.status.halted"), 1U << q);
    expect_others_run(q);
    bench.queue(q).write("q_command.resume", 1);
    bench.queue(q).expect(after, 1000);
    bench.queue(q).release();
    bench.expect_clean();
  }
}

TEST_F(DmaFair, AQueueIsResetAndRunsAgainWhileTheOthersWork) {
  start({}, 540);
  bench.port.manners.most_latency = 30;
  for (unsigned q = 0; q < queues; ++q) {
    DmaSoftware& queue = bench.queue(q);
    for (unsigned n = 0; n < 6; ++n) queue.submit(copy(q, n, 4096, 1));
    queue.doorbell();
    bench.block.cycle(700);
    queue.write("q_command.abort_all", 1);
    expect_others_run(q, 9000);
    ASSERT_EQ(queue.read("q_status.halted"), 1U);
    queue.write("q_command.reset", 1);
    EXPECT_EQ(queue.read("q_status.halted"), 0U);
    EXPECT_EQ(queue.read("tail"), 0U);
    EXPECT_EQ(queue.read("comp_consumer"), 0U);
    // What was aborted is old or new; that is not this test's.
    RingPlan plan;
    plan.ring_log2 = 3;
    queue.restart(plan);
    bench.fill(target + q * area, area);
    const auto fresh = queue.submit(copy(q, 0, 1000, 3));
    queue.doorbell();
    queue.expect(fresh, 3000);
    queue.release();
    queue.write("q_ctrl.enable", 0);
    queue.write("q_command.reset", 1);
    EXPECT_EQ(queue.read("q_irq_status.refused"), 0U);
    queue.restart({});
  }
  bench.expect_clean();
}

TEST_F(DmaFair, InterruptsTellTheirQueue) {
  start({}, 550);
  for (unsigned q = 0; q < queues; ++q) {
    bench.queue(q).write("q_irq_mask.completion", 1);
    Descriptor d = copy(q, 0, 100, 1);
    d.irq = true;
    const auto outcome = bench.queue(q).submit(d);
    bench.queue(q).doorbell();
    bench.queue(q).expect(outcome, 1000);
    bench.queue(q).release();
    bench.block.cycle(20);
    EXPECT_TRUE(bench.block.dut().irq_o);
    EXPECT_EQ(bench.registers.read("dma.irq_status.queues"), 1U << q);
    bench.queue(q).write("q_irq_status", 1);
    bench.block.cycle(3);
    EXPECT_FALSE(bench.block.dut().irq_o);
  }
  bench.expect_clean();
}

}  // namespace
}  // namespace tb::blocks
