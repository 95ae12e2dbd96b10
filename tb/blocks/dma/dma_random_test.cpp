#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "tb/blocks/dma/dma_traffic.h"

namespace tb::blocks {
namespace {

using golden::dma::queues;
using golden::dma::Status;

/// So many descriptors of the large test: FIRSTLIGHT_CASES, or what suits a change.
unsigned cases() {
  const char* text = std::getenv("FIRSTLIGHT_CASES");
  return text == nullptr ? 6000 : static_cast<unsigned>(std::stoul(text));
}

MemoryManners rough() {
  MemoryManners m;
  m.least_latency = 1;
  m.most_latency = 60;
  m.ready = 0.7;
  m.answer = 0.8;
  m.reorder = true;
  return m;
}

RingPlan rings(unsigned ring_log2, unsigned comp_log2, bool long_bursts = false) {
  RingPlan plan;
  plan.ring_log2 = ring_log2;
  plan.comp_log2 = comp_log2;
  plan.long_bursts = long_bursts;
  return plan;
}

void report(const char* name, const DmaTraffic& traffic) {
  std::cout << name << ": seed " << seed() << ", " << traffic.submitted() << " descriptors, completions by status";
  for (const auto& [status, count] : traffic.seen()) std::cout << ' ' << static_cast<int>(status) << ':' << count;
  std::cout << '\n';
}

/// Each status but `aborted` came, and the engine's counters say how often.
void expect_all_errors(const DmaTraffic& traffic) {
  auto& bench = DmaBench::instance();
  for (int status = 0; status <= 7; ++status) {
    const auto found = traffic.seen().find(static_cast<Status>(status));
    const unsigned count = found == traffic.seen().end() ? 0 : found->second;
    EXPECT_EQ(count != 0, status != static_cast<int>(Status::aborted)) << "status " << status;
    EXPECT_EQ(bench.registers.read("dma.errors[" + std::to_string(status) + "]"), count) << "status " << status;
  }
}

TEST(DmaRandom, CleanTraffic) {
  TrafficMix mix;
  mix.plans.fill(rings(4, 4));
  mix.descriptors = 2000;
  mix.manners.most_latency = 40;
  DmaTraffic traffic(mix, 100);
  traffic.run();
  report("clean", traffic);
  EXPECT_EQ(traffic.seen().size(), 1U);
  EXPECT_EQ(traffic.seen().count(Status::ok), 1U);
}

TEST(DmaRandom, RoughMemoryAndLongBursts) {
  TrafficMix mix;
  mix.plans.fill(rings(6, 3, true));
  mix.descriptors = 2000;
  mix.manners = rough();
  mix.lazy = 0.9;
  DmaTraffic traffic(mix, 101);
  traffic.run();
  report("rough", traffic);
  unsigned overruns = 0;
  for (unsigned q = 0; q < queues; ++q) overruns += DmaBench::instance().queue(q).read("ring_overruns");
  EXPECT_GT(overruns, 0U);
}

TEST(DmaRandom, LargestRings) {
  TrafficMix mix;
  mix.plans.fill(rings(12, 12));
  mix.descriptors = 3000;
  mix.large = 0.02;
  mix.manners.least_latency = mix.manners.most_latency = 5;
  DmaTraffic traffic(mix, 104);
  traffic.run();
  report("largest", traffic);
}

/// Rings of several sizes, errors of all kinds, a memory that does as it likes: no byte is wrong, over more than four
/// passes through every ring.
TEST(DmaRandom, EveryErrorIsContainedOverManyWraps) {
  TrafficMix mix;
  mix.plans = {rings(2, 2), rings(4, 3), rings(6, 7), rings(7, 5)};
  mix.descriptors = cases();
  mix.manners = rough();
  mix.bad = 0.1;
  mix.faults = 2;
  mix.lazy = 0.3;
  mix.large = 0.03;
  DmaTraffic traffic(mix, 102);
  traffic.run();
  report("errors", traffic);
  expect_all_errors(traffic);
  for (unsigned q = 0; q < queues; ++q) {
    EXPECT_GT(traffic.submitted(q), 4U << mix.plans.at(q).ring_log2);
    EXPECT_EQ(DmaBench::instance().queue(q).read("descriptors"), traffic.submitted(q));
  }
}

}  // namespace
}  // namespace tb::blocks
