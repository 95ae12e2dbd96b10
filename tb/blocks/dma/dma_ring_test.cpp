#include <gtest/gtest.h>

#include <algorithm>

#include "tb/blocks/dma/dma_bench.h"

namespace tb::blocks {
namespace {

using golden::dma::Descriptor;
using golden::dma::Outcome;
using golden::dma::Status;

constexpr std::uint64_t source = 0x01'0100'0000;
constexpr std::uint64_t target = 0x02'0200'0000;

/// The n-th of a row of small copies that do not touch one another.
Descriptor small(unsigned n, std::uint32_t bytes = 40) {
  Descriptor d;
  d.src = source + n % 64;
  d.dst = target + n * std::uint64_t{64} + 3;
  d.bytes = bytes;
  d.tag = static_cast<std::uint16_t>(n);
  return d;
}

class DmaRing : public testing::Test {
 protected:
  void start(const RingPlan& plan, std::uint64_t salt) {
    bench.restart(plan, salt);
    bench.fill(source, 4096);
    bench.fill(target, 0x40000);
  }
  std::vector<Outcome> submit(unsigned first, unsigned count) {
    std::vector<Outcome> outcomes;
    for (unsigned n = first; n < first + count; ++n) outcomes.push_back(queue.submit(small(n)));
    return outcomes;
  }
  void expect(const std::vector<Outcome>& outcomes) {
    for (const Outcome& outcome : outcomes) queue.expect(outcome, 5000);
    queue.release();
  }
  std::uint32_t read(const char* name) { return queue.read(name); }
  void write(const char* name, std::uint32_t value) { queue.write(name, value); }

  DmaBench& bench = DmaBench::instance();
  DmaSoftware& queue = bench.queue(2);
};

TEST_F(DmaRing, ExactlyFullAndExactlyEmpty) {
  start({}, 200);
  for (unsigned pass = 0; pass < 10; ++pass) {
    const auto outcomes = submit(pass * 16, 16);
    queue.doorbell();
    expect(outcomes);
    bench.block.cycle(50);
    EXPECT_EQ(read("head"), (pass + 1) * 16);
    EXPECT_EQ(read("tail"), (pass + 1) * 16);
    EXPECT_EQ(read("comp_producer"), (pass + 1) * 16);
    EXPECT_EQ(read("q_status.busy"), 0U);
    EXPECT_FALSE(queue.poll().has_value());
  }
  EXPECT_EQ(read("doorbell_overruns"), 0U);
  EXPECT_EQ(read("ring_overruns"), 0U);
  bench.expect_clean();
}

TEST_F(DmaRing, NeverFetchesPastTheTail) {
  start({}, 201);
  submit(0, 16);
  for (std::uint16_t tail = 1; tail <= 16; ++tail) {
    write("doorbell", tail);
    queue.wait(2000);
    bench.block.cycle(100);
    const std::uint64_t ring = queue.plan().ring_base;
    const auto fetched = std::count_if(bench.port.reads.begin(), bench.port.reads.end(), [&](const auto& burst) {
      return burst.addr >= ring && burst.addr < ring + 512;
    });
    EXPECT_EQ(fetched, tail);
  }
  queue.release();
  bench.expect_clean();
}

TEST_F(DmaRing, DoorbellBeyondTheFreeSpaceIsRefused) {
  start({}, 202);
  write("doorbell", 17);
  bench.block.cycle(200);
  EXPECT_EQ(read("tail"), 0U);
  EXPECT_EQ(read("doorbell_overruns"), 1U);
  EXPECT_EQ(read("q_irq_status.doorbell"), 1U);
  EXPECT_TRUE(bench.port.reads.empty());

  auto outcomes = submit(0, 10);
  queue.doorbell();
  expect(outcomes);
  write("doorbell", 9);  // backwards
  write("doorbell", 27);
  EXPECT_EQ(read("tail"), 10U);
  EXPECT_EQ(read("doorbell_overruns"), 3U);
  outcomes = submit(10, 16);
  queue.doorbell();
  expect(outcomes);
  EXPECT_EQ(read("doorbell_overruns"), 3U);
  bench.expect_clean();
}

TEST_F(DmaRing, StaleDescriptorsAreNotExecuted) {
  start({}, 203);
  auto outcomes = submit(0, 16);
  queue.doorbell();
  expect(outcomes);
  // A doorbell over entries that software has not written again: those of the pass before.
  write("doorbell", 32);
  for (unsigned i = 16; i < 32; ++i) {
    const auto got = queue.wait(2000);
    EXPECT_EQ(static_cast<int>(got.status), static_cast<int>(Status::phase_mismatch));
    EXPECT_EQ(got.index, i);
    EXPECT_EQ(got.addr, queue.plan().ring_base + (i - 16) * std::uint64_t{32});
    queue.release();
  }
  EXPECT_EQ(bench.registers.read("dma.errors[5]"), 16U);
  EXPECT_EQ(read("first_error.cause"), static_cast<unsigned>(Status::phase_mismatch));
  EXPECT_EQ(read("first_error.index"), 16U);
  bench.expect_clean();
}

TEST_F(DmaRing, FullCompletionRingHoldsAndLosesNothing) {
  RingPlan plan;
  plan.ring_log2 = 5;
  plan.comp_log2 = 2;
  start(plan, 204);
  const auto outcomes = submit(0, 12);
  queue.doorbell();
  bench.block.cycle(3000);
  EXPECT_EQ(read("comp_producer"), 4U);
  EXPECT_EQ(read("q_status.comp_full"), 1U);
  EXPECT_EQ(read("ring_overruns"), 1U);
  EXPECT_EQ(read("q_irq_status.comp_full"), 1U);
  for (unsigned i = 0; i < 12; ++i) {
    queue.expect(outcomes[i], 2000);
    queue.release();
  }
  bench.block.cycle(500);
  EXPECT_EQ(read("q_status.comp_full"), 0U);
  bench.expect_clean();
}

TEST_F(DmaRing, AConsumerIndexBeyondTheProducerCountsAsFull) {
  start({}, 205);
  write("comp_consumer", 5);
  const auto outcomes = submit(0, 1);
  queue.doorbell();
  bench.block.cycle(1000);
  EXPECT_EQ(read("comp_producer"), 0U);
  EXPECT_EQ(read("q_status.comp_full"), 1U);
  write("comp_consumer", 0);
  expect(outcomes);
  bench.expect_clean();
}

TEST_F(DmaRing, IndicesWrapAt65536) {
  RingPlan plan;
  plan.ring_log2 = 6;
  plan.comp_log2 = 7;
  start(plan, 206);
  bench.port.manners.least_latency = bench.port.manners.most_latency = 2;
  unsigned submitted = 0;
  unsigned done = 0;
  while (done < 66000 && !HasFailure()) {
    while (queue.space() != 0 && submitted < 66000) {
      queue.submit(small(submitted % 4096, 1));
      ++submitted;
    }
    queue.doorbell();
    bench.block.cycle(100);
    while (const auto got = queue.poll()) {
      EXPECT_EQ(static_cast<int>(got->status), static_cast<int>(Status::ok)) << done;
      EXPECT_EQ(got->index, static_cast<std::uint16_t>(done));
      ++done;
    }
    queue.release();
  }
  EXPECT_EQ(read("descriptors"), 66000U);
  EXPECT_EQ(read("doorbell_overruns"), 0U);
  bench.expect_clean();
}

TEST_F(DmaRing, SizesOutOfRangeStartNothing) {
  start({}, 207);
  for (const std::uint32_t log2 : {0U, 1U, 13U, 15U}) {
    write("ring_size", log2);
    EXPECT_EQ(read("q_status.bad_config"), 1U) << log2;
    write("ring_size", 4);
    write("comp_size", log2);
    EXPECT_EQ(read("q_status.bad_config"), 1U) << log2;
    const auto before = bench.port.reads.size();
    write("doorbell", queue.tail());
    bench.block.cycle(100);
    EXPECT_EQ(bench.port.reads.size(), before);
    write("comp_size", 4);
    EXPECT_EQ(read("q_status.bad_config"), 0U);
  }
  bench.expect_clean();
}

TEST_F(DmaRing, ResetStartsOverAndIsRefusedWhileBusy) {
  start({}, 208);
  const auto outcomes = submit(0, 3);
  queue.doorbell();
  write("q_command", 1U << 2);
  EXPECT_EQ(read("q_irq_status.refused"), 1U);
  expect(outcomes);
  bench.block.cycle(100);
  write("q_ctrl.enable", 0);
  write("q_command", 1U << 2);
  EXPECT_EQ(read("tail"), 0U);
  EXPECT_EQ(read("head"), 0U);
  EXPECT_EQ(read("comp_producer"), 0U);
  EXPECT_EQ(read("comp_consumer"), 0U);
  bench.expect_clean();
}

}  // namespace
}  // namespace tb::blocks
