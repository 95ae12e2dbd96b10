#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iostream>

#include "tb/blocks/dma/dma_bench.h"

namespace tb::blocks {
namespace {

using golden::dma::Descriptor;
using golden::dma::Outcome;

Descriptor copy(std::uint64_t src, std::uint64_t dst, std::uint32_t bytes) {
  Descriptor d;
  d.src = src;
  d.dst = dst;
  d.bytes = bytes;
  d.tag = static_cast<std::uint16_t>(0x1234 + bytes);
  return d;
}

constexpr std::uint64_t source = 0x01'0100'0000;
constexpr std::uint64_t target = 0x02'0200'0000;
constexpr std::uint64_t scratchpad = 0x00'0020'0000;
constexpr std::uint32_t partition = 0x4000;

TEST(DmaCopy, EveryAlignmentAndShortLength) {
  DmaBench& bench = DmaBench::instance();
  bench.restart({}, 1);
  bench.fill(source, 4096);
  bench.fill(target, 65536);
  std::uint64_t dst = target + 64;
  unsigned n = 0;
  for (std::uint32_t from = 0; from < 8; ++from) {
    for (std::uint32_t to = 0; to < 8; ++to) {
      for (const std::uint32_t bytes : {1U, 2U, 7U, 8U, 9U, 16U, 17U, 131U}) {
        DmaSoftware& queue = bench.queue(n++ % 4);
        const auto outcome = queue.submit(copy(source + 128 + from, dst + to, bytes));
        queue.doorbell();
        queue.expect(outcome, 2000);
        queue.release();
        dst += (bytes + std::uint64_t{31}) / 16 * 16;
      }
    }
  }
  bench.expect_clean();
}

TEST(DmaCopy, LongestRowAtEveryShift) {
  DmaBench& bench = DmaBench::instance();
  bench.restart({}, 2);
  bench.port.manners.most_latency = 20;
  bench.fill(source, 80000);
  DmaSoftware& queue = bench.queue(3);
  for (std::uint32_t shift = 0; shift < 8; ++shift) {
    const auto outcome = queue.submit(copy(source + 3 + shift, target + 0x1FFF + std::uint64_t{5} * shift, 65536));
    queue.doorbell();
    queue.expect(outcome, 100000);
    queue.release();
  }
  bench.expect_clean();
}

TEST(DmaCopy, RowsGoWhereTheirStridesSay) {
  DmaBench& bench = DmaBench::instance();
  bench.restart({}, 4);
  bench.fill(source, 0x10000);
  bench.fill(target, 0x20000);
  DmaSoftware& queue = bench.queue(1);
  std::uint64_t dst = target;
  // A row of 0 and one of 1 are the same; a source may stand still or overlap itself.
  for (const std::uint32_t rows : {0U, 1U, 2U, 5U, 64U}) {
    for (const std::uint32_t stride : {0U, 3U, 17U, 256U}) {
      for (const std::uint32_t bytes : {1U, 8U, 29U}) {
        Descriptor d = copy(source + 5, dst, bytes);
        d.rows = rows;
        d.src_stride = stride;
        d.dst_stride = bytes + stride % 7;
        const auto outcome = queue.submit(d);
        queue.doorbell();
        queue.expect(outcome, 10000);
        queue.release();
        dst += d.total() + std::uint64_t{7} * d.row_count();
      }
    }
  }
  bench.expect_clean();
}

TEST(DmaCopy, TheLongestStridesReachAcrossARegion) {
  DmaBench& bench = DmaBench::instance();
  bench.restart({}, 5);
  DmaSoftware& queue = bench.queue(0);
  Descriptor d = copy(0x01'0000'8003, 0x02'0000'8001, 21);
  d.rows = 250;
  d.src_stride = 0xFF'FFFF;
  d.dst_stride = 0xFF'FFFF;
  for (std::uint32_t row = 0; row < d.rows; ++row) bench.fill(d.src_of(row), d.bytes);
  const auto good = queue.submit(d);
  ASSERT_TRUE(good.runs);
  d.rows = 300;
  const auto bad = queue.submit(d);
  ASSERT_FALSE(bad.runs);
  d.rows = 65535;
  const auto worse = queue.submit(d);
  ASSERT_FALSE(worse.runs);
  queue.doorbell();
  queue.expect(good, 20000);
  queue.expect(bad, 2000);
  queue.expect(worse, 2000);
  queue.release();
  bench.expect_clean();
}

double beats_per_cycle(bool long_bursts, std::uint64_t offset) {
  DmaBench& bench = DmaBench::instance();
  RingPlan plan;
  plan.long_bursts = long_bursts;
  bench.restart(plan, 3);
  bench.port.manners.least_latency = bench.port.manners.most_latency = 40;
  bench.fill(source, 65536 + 8);
  DmaSoftware& queue = bench.queue(0);
  const auto outcome = queue.submit(copy(source + offset, target, 65536));
  queue.doorbell();
  const std::uint64_t start = bench.block.cycles();
  queue.expect(outcome, 100000);
  const std::uint64_t cycles = bench.block.cycles() - start;
  bench.expect_clean();
  EXPECT_GE(bench.port.checker().most_open_reads(), 4U);
  EXPECT_GE(bench.port.checker().most_open_writes(), 3U);
  return 8192.0 / static_cast<double>(cycles);
}

TEST(DmaRate, LongCopiesMoveABeatACycle) {
  for (const bool long_bursts : {false, true}) {
    for (const std::uint64_t offset : {0U, 3U}) {
      const double rate = beats_per_cycle(long_bursts, offset);
      std::cout << "64 KiB at latency 40, bursts of " << (long_bursts ? 32 : 16) << ", source offset " << offset << ": "
                << rate << " beats/cycle, doorbell to completion\n";
      EXPECT_GT(rate, 0.95);
    }
  }
}

constexpr unsigned tiles_in_all = 60;

/// Tiles of 8 rows of 256 bytes each, on as many queues, from external memory to the partitions of the scratchpad.
double tile_rate(unsigned queues, unsigned tiles, unsigned latency) {
  DmaBench& bench = DmaBench::instance();
  RingPlan plan;
  plan.ring_log2 = plan.comp_log2 = 6;
  bench.restart(plan, 6);
  bench.port.manners.least_latency = bench.port.manners.most_latency = latency;
  bench.fill(source, std::uint64_t{tiles} * 2048);
  bench.fill(scratchpad, 0x20000);
  std::array<std::deque<Outcome>, 4> due;
  for (unsigned t = 0; t < tiles; ++t) {
    Descriptor d = copy(source + std::uint64_t{t} * 2048, scratchpad + std::uint64_t{t} * 256, 256);
    d.rows = 8;
    d.src_stride = 256;
    d.dst_stride = partition;
    due.at(t % queues).push_back(bench.queue(t % queues).submit(d));
  }
  for (unsigned q = 0; q < queues; ++q) bench.queue(q).doorbell();
  // The first tile's latency is not the stream's.
  bench.queue(0).expect(due[0].front(), 10000);
  due[0].pop_front();
  const std::uint64_t start = bench.block.cycles();
  while (std::any_of(due.begin(), due.end(), [](const auto& tiles_due) { return !tiles_due.empty(); })) {
    for (unsigned q = 0; q < queues; ++q) {
      if (due.at(q).empty()) continue;
      bench.queue(q).expect(due.at(q).front(), 100000);
      due.at(q).pop_front();
    }
  }
  const std::uint64_t cycles = bench.block.cycles() - start;
  bench.expect_clean();
  return (tiles - 1) * 256.0 / static_cast<double>(cycles);
}

TEST(DmaRate, TilesFollowOneAnotherWithoutAGap) {
  for (const unsigned queues : {1U, 2U, 4U}) {
    for (const unsigned latency : {10U, 40U, 80U}) {
      const double rate = tile_rate(queues, tiles_in_all, latency);
      std::cout << tiles_in_all << " tiles of 8 x 256 bytes on " << queues << " queues, latency " << latency << ": "
                << rate << " beats/cycle, first to last completion\n";
      EXPECT_GT(rate, 0.98);
    }
  }
}

}  // namespace
}  // namespace tb::blocks
