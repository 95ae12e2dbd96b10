#include <gtest/gtest.h>

#include <iostream>

#include "tb/blocks/dma/dma_bench.h"

namespace tb::blocks {
namespace {

using golden::dma::Descriptor;

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

TEST(DmaCopy, EveryAlignmentAndShortLength) {
  DmaBench& bench = DmaBench::instance();
  bench.restart({}, 1);
  bench.fill(source, 4096);
  bench.fill(target, 65536);
  std::uint64_t dst = target + 64;
  for (std::uint32_t from = 0; from < 8; ++from) {
    for (std::uint32_t to = 0; to < 8; ++to) {
      for (const std::uint32_t bytes : {1U, 2U, 7U, 8U, 9U, 16U, 17U, 131U}) {
        const auto outcome = bench.submit(copy(source + 128 + from, dst + to, bytes));
        bench.doorbell();
        bench.expect(outcome, 2000);
        bench.release();
        dst += (bytes + std::uint64_t{31}) / 16 * 16;
      }
    }
  }
  bench.expect_clean();
}

TEST(DmaCopy, LongestLengthAtEveryShift) {
  DmaBench& bench = DmaBench::instance();
  bench.restart({}, 2);
  bench.port.manners.most_latency = 20;
  bench.fill(source, 80000);
  for (std::uint32_t shift = 0; shift < 8; ++shift) {
    const auto outcome = bench.submit(copy(source + 3 + shift, target + 0x1FFF + std::uint64_t{5} * shift, 65536));
    bench.doorbell();
    bench.expect(outcome, 100000);
    bench.release();
  }
  bench.expect_clean();
}

double beats_per_cycle(bool long_bursts, std::uint64_t offset) {
  DmaBench& bench = DmaBench::instance();
  RingPlan plan;
  plan.long_bursts = long_bursts;
  bench.restart(plan, 3);
  bench.port.manners.least_latency = bench.port.manners.most_latency = 40;
  bench.fill(source, 65536 + 8);
  const auto outcome = bench.submit(copy(source + offset, target, 65536));
  bench.doorbell();
  const std::uint64_t start = bench.block.cycles();
  bench.expect(outcome, 100000);
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

}  // namespace
}  // namespace tb::blocks
