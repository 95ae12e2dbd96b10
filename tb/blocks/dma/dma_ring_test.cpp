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
    for (unsigned n = first; n < first + count; ++n) outcomes.push_back(bench.submit(small(n)));
    return outcomes;
  }
  void expect(const std::vector<Outcome>& outcomes) {
    for (const Outcome& outcome : outcomes) bench.expect(outcome, 5000);
    bench.release();
  }
  std::uint32_t read(const char* name) { return bench.registers.read(name); }
  void write(const char* name, std::uint32_t value) { bench.registers.write(name, value); }

  DmaBench& bench = DmaBench::instance();
};

TEST_F(DmaRing, ExactlyFullAndExactlyEmpty) {
  start({}, 200);
  for (unsigned pass = 0; pass < 10; ++pass) {
    const auto outcomes = submit(pass * 16, 16);
    bench.doorbell();
    expect(outcomes);
    bench.block.cycle(50);
    EXPECT_EQ(read("dma.head"), (pass + 1) * 16);
    EXPECT_EQ(read("dma.tail"), (pass + 1) * 16);
    EXPECT_EQ(read("dma.comp_producer"), (pass + 1) * 16);
    EXPECT_EQ(read("dma.status.busy"), 0U);
    EXPECT_FALSE(bench.poll().has_value());
  }
  EXPECT_EQ(read("dma.doorbell_overruns"), 0U);
  EXPECT_EQ(read("dma.ring_overruns"), 0U);
  bench.expect_clean();
}

TEST_F(DmaRing, NeverFetchesPastTheTail) {
  start({}, 201);
  submit(0, 16);
  for (std::uint16_t tail = 1; tail <= 16; ++tail) {
    write("dma.doorbell", tail);
    bench.wait(2000);
    bench.block.cycle(100);
    const std::uint64_t ring = RingPlan{}.ring_base;
    const auto fetched = std::count_if(bench.port.reads.begin(), bench.port.reads.end(), [&](const auto& burst) {
      return burst.addr >= ring && burst.addr < ring + 512;
    });
    EXPECT_EQ(fetched, tail);
  }
  bench.release();
  bench.expect_clean();
}

TEST_F(DmaRing, DoorbellBeyondTheFreeSpaceIsRefused) {
  start({}, 202);
  write("dma.doorbell", 17);
  bench.block.cycle(200);
  EXPECT_EQ(read("dma.tail"), 0U);
  EXPECT_EQ(read("dma.doorbell_overruns"), 1U);
  EXPECT_EQ(read("dma.irq_status.doorbell"), 1U);
  EXPECT_TRUE(bench.port.reads.empty());

  auto outcomes = submit(0, 10);
  bench.doorbell();
  expect(outcomes);
  write("dma.doorbell", 9);  // backwards
  write("dma.doorbell", 27);
  EXPECT_EQ(read("dma.tail"), 10U);
  EXPECT_EQ(read("dma.doorbell_overruns"), 3U);
  outcomes = submit(10, 16);
  bench.doorbell();
  expect(outcomes);
  EXPECT_EQ(read("dma.doorbell_overruns"), 3U);
  bench.expect_clean();
}

TEST_F(DmaRing, StaleDescriptorsAreNotExecuted) {
  start({}, 203);
  auto outcomes = submit(0, 16);
  bench.doorbell();
  expect(outcomes);
  // A doorbell over entries that software has not written again: those of the pass before.
  write("dma.doorbell", 32);
  for (unsigned i = 16; i < 32; ++i) {
    const auto got = bench.wait(2000);
    EXPECT_EQ(static_cast<int>(got.status), static_cast<int>(Status::phase_mismatch));
    EXPECT_EQ(got.index, i);
    EXPECT_EQ(got.addr, RingPlan{}.ring_base + (i - 16) * std::uint64_t{32});
    bench.release();
  }
  EXPECT_EQ(read("dma.errors[5]"), 16U);
  EXPECT_EQ(read("dma.first_error.cause"), static_cast<unsigned>(Status::phase_mismatch));
  EXPECT_EQ(read("dma.first_error.index"), 16U);
  bench.expect_clean();
}

TEST_F(DmaRing, FullCompletionRingHoldsAndLosesNothing) {
  RingPlan plan;
  plan.ring_log2 = 5;
  plan.comp_log2 = 2;
  start(plan, 204);
  const auto outcomes = submit(0, 12);
  bench.doorbell();
  bench.block.cycle(3000);
  EXPECT_EQ(read("dma.comp_producer"), 4U);
  EXPECT_EQ(read("dma.status.comp_full"), 1U);
  EXPECT_EQ(read("dma.ring_overruns"), 1U);
  EXPECT_EQ(read("dma.irq_status.comp_full"), 1U);
  for (unsigned i = 0; i < 12; ++i) {
    bench.expect(outcomes[i], 2000);
    bench.release();
  }
  bench.block.cycle(500);
  EXPECT_EQ(read("dma.status.comp_full"), 0U);
  bench.expect_clean();
}

TEST_F(DmaRing, AConsumerIndexBeyondTheProducerCountsAsFull) {
  start({}, 205);
  write("dma.comp_consumer", 5);
  const auto outcomes = submit(0, 1);
  bench.doorbell();
  bench.block.cycle(1000);
  EXPECT_EQ(read("dma.comp_producer"), 0U);
  EXPECT_EQ(read("dma.status.comp_full"), 1U);
  write("dma.comp_consumer", 0);
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
    while (bench.has_space() && submitted < 66000) {
      bench.submit(small(submitted % 4096, 1));
      ++submitted;
    }
    bench.doorbell();
    bench.block.cycle(100);
    while (const auto got = bench.poll()) {
      EXPECT_EQ(static_cast<int>(got->status), static_cast<int>(Status::ok)) << done;
      EXPECT_EQ(got->index, static_cast<std::uint16_t>(done));
      ++done;
    }
    bench.release();
  }
  EXPECT_EQ(read("dma.descriptors"), 66000U);
  EXPECT_EQ(read("dma.doorbell_overruns"), 0U);
  bench.expect_clean();
}

TEST_F(DmaRing, SizesOutOfRangeStartNothing) {
  start({}, 207);
  for (const std::uint32_t log2 : {0U, 1U, 13U, 15U}) {
    write("dma.ring_size", log2);
    EXPECT_EQ(read("dma.status.bad_config"), 1U) << log2;
    write("dma.ring_size", 4);
    write("dma.comp_size", log2);
    EXPECT_EQ(read("dma.status.bad_config"), 1U) << log2;
    const auto before = bench.port.reads.size();
    write("dma.doorbell", bench.tail());
    bench.block.cycle(100);
    EXPECT_EQ(bench.port.reads.size(), before);
    write("dma.comp_size", 4);
    EXPECT_EQ(read("dma.status.bad_config"), 0U);
  }
  bench.expect_clean();
}

TEST_F(DmaRing, ResetStartsOverAndIsRefusedWhileBusy) {
  start({}, 208);
  const auto outcomes = submit(0, 3);
  bench.doorbell();
  write("dma.command", 1U << 2);
  EXPECT_EQ(read("dma.irq_status.refused"), 1U);
  expect(outcomes);
  bench.block.cycle(100);
  write("dma.ctrl.enable", 0);
  write("dma.command", 1U << 2);
  EXPECT_EQ(read("dma.tail"), 0U);
  EXPECT_EQ(read("dma.head"), 0U);
  EXPECT_EQ(read("dma.comp_producer"), 0U);
  EXPECT_EQ(read("dma.comp_consumer"), 0U);
  bench.expect_clean();
}

}  // namespace
}  // namespace tb::blocks
