#include "tb/blocks/dma/dma_traffic.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tb::blocks {

using golden::dma::Completion;
using golden::dma::Descriptor;
using golden::dma::DescriptorWords;
using golden::dma::Faults;
using golden::dma::Outcome;
using golden::dma::queues;
using golden::dma::Status;

namespace {

struct Arena {
  std::uint64_t base;
  std::uint64_t bytes;
};
// Sources and destinations in each region, some of them at the region's very edges.
constexpr std::array<Arena, 6> sources{{
    {0x00'0010'0000, 0x8000},
    {0x00'0020'0000, 0x10000},
    {0x01'0010'0000, 0x20000},
    {0x02'0000'0000, 0x20000},
    {0x03'0000'0000, 0x8000},
    {0x92'0010'0000, 0x8000},
}};
constexpr std::array<Arena, 6> targets{{
    {0x00'0010'8000, 0x8000},
    {0x00'0021'0000, 0x10000},
    {0x01'FFFE'0000, 0x20000},
    {0x02'4000'0000, 0x20000},
    {0x03'0000'8000, 0x8000},
    {0xB7'FFFF'8000, 0x8000},
}};
constexpr std::uint64_t spare = 0x02'5000'0000;  // for single bytes
constexpr unsigned semaphores = 16;

std::uint64_t extent(const Descriptor& d, std::uint32_t stride) {
  return std::uint64_t{stride} * (d.row_count() - 1) + d.bytes;
}

}  // namespace

DmaTraffic::DmaTraffic(const TrafficMix& mix, std::uint64_t salt) : mix_(mix), bench_(DmaBench::instance()) {
  bench_.restart_each(mix_.plans, salt);
  bench_.port.manners = mix_.manners;
}

void DmaTraffic::run() {
  while (submitted_ < mix_.descriptors && !testing::Test::HasFailure()) round();
  expect_semaphores();
}

std::uint32_t DmaTraffic::draw_bytes() {
  const std::uint64_t kind = bench_.random(0, 999);
  if (!bench_.chance(mix_.large))
    return static_cast<std::uint32_t>(kind < 700 ? bench_.random(1, 64) : bench_.random(65, 600));
  if (kind < 880) return static_cast<std::uint32_t>(bench_.random(601, 4200));
  if (kind < 990) return static_cast<std::uint32_t>(bench_.random(4201, 16384));
  return static_cast<std::uint32_t>(bench_.random(65520, 65536));
}

/// A destination that no other copy of the round uses, with a gap before it.
std::optional<std::uint64_t> DmaTraffic::place(std::uint64_t bytes) {
  const auto first = bench_.random(0, targets.size() - 1);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::size_t t = (first + i) % targets.size();
    const std::uint64_t left = targets.at(t).bytes - used_.at(t);
    if (left < bytes) continue;
    const std::uint64_t gap = bench_.random(0, std::min<std::uint64_t>(left - bytes, 24));
    const std::uint64_t addr = targets.at(t).base + used_.at(t) + gap;
    used_.at(t) += gap + bytes;
    return addr;
  }
  return std::nullopt;
}

void DmaTraffic::draw_semaphores(Descriptor& d) {
  d.wait_sem = static_cast<std::uint8_t>(bench_.random(0, semaphores - 1));
  if (bench_.chance(mix_.waits)) d.wait_count = static_cast<std::uint8_t>(bench_.random(1, 15));
  d.signal_sem = static_cast<std::uint8_t>(bench_.random(0, semaphores - 1));
  d.signal = bench_.chance(0.3);
}

/// A row of an earlier copy of the queue, when the descriptor has `dmb`; true when it was.
bool DmaTraffic::draw_source(Descriptor& d, const Lane& lane) {
  if (d.dmb && !lane.done.empty() && bench_.chance(0.7)) {
    const Descriptor& earlier = lane.done[bench_.random(0, lane.done.size() - 1)];
    d.rows = 1;
    d.bytes = static_cast<std::uint32_t>(bench_.random(1, earlier.bytes));
    const auto row = static_cast<std::uint32_t>(bench_.random(0, earlier.row_count() - 1));
    d.src = earlier.dst_of(row) + bench_.random(0, earlier.bytes - d.bytes);
    return true;
  }
  return false;
}

Descriptor DmaTraffic::draw(const Lane& lane) {
  Descriptor d;
  d.bytes = draw_bytes();
  d.tag = static_cast<std::uint16_t>(bench_.random(0, 0xFFFF));
  d.irq = bench_.chance(0.5);
  d.dmb = bench_.chance(0.1);
  d.rows = static_cast<std::uint32_t>(bench_.random(0, 1));
  draw_semaphores(d);
  if (bench_.chance(mix_.planar)) {
    d.bytes = static_cast<std::uint32_t>(bench_.random(1, bench_.chance(0.2) ? 300 : 100));
    d.rows = static_cast<std::uint32_t>(bench_.random(2, 12));
  }
  d.src_stride = static_cast<std::uint32_t>(bench_.random(0, 600));
  d.dst_stride = d.bytes + static_cast<std::uint32_t>(bench_.random(0, 40));
  if (!draw_source(d, lane)) {
    const std::uint64_t reach = extent(d, d.src_stride);
    const Arena* arena = &sources.at(bench_.random(0, sources.size() - 1));
    while (arena->bytes < reach) arena = &sources.at(bench_.random(2, 3));
    d.src = arena->base + bench_.random(0, arena->bytes - reach);
    if (bench_.chance(0.05)) d.src = arena->base + arena->bytes - reach;
  }
  const auto dst = place(extent(d, d.dst_stride));
  full_ = !dst;
  d.dst = dst.value_or(0);
  return d;
}

/// One thing wrong: the phase, a fixed or reserved bit, or an address.
void DmaTraffic::spoil(DescriptorWords& words) {
  switch (bench_.random(0, 4)) {
    case 0:
      words[3] ^= bench_.random(1, 3) << 62;
      break;
    case 1: {
      const std::uint64_t bit = bench_.random(0, 48);
      words[3] ^= std::uint64_t{1} << (bit < 24 ? bit : bit + 13);
      break;
    }
    case 2:
      words[2] |= std::uint64_t{1} << bench_.random(51, 63);
      break;
    case 3: {
      std::uint64_t& word = words.at(bench_.random(0, 1));
      word = (word & ~std::uint64_t{0xFF'FFFF'FFFF}) | bench_.random(0, 0x7F'FFFF'FFFF);
      break;
    }
    default: {
      // Across the end of a region, by one byte or more; a single byte lies just behind the SRAM.
      constexpr std::array<std::uint64_t, 5> ends{0x00'0011'0000, 0x00'0022'0000, 0x03'0000'0000, 0x03'0001'0000,
                                                  0x94'0000'0000};
      const Descriptor d = golden::dma::decode(words);
      const std::size_t side = bench_.random(0, 1);
      const std::uint64_t reach = extent(d, side == 0 ? d.src_stride : d.dst_stride);
      std::uint64_t& word = words.at(side);
      word = (word & ~std::uint64_t{0xFF'FFFF'FFFF}) |
             (reach == 1 ? ends[0] : ends.at(bench_.random(0, ends.size() - 1)) - reach + bench_.random(1, reach - 1));
    }
  }
}

/// One transfer.
void DmaTraffic::submit(unsigned q) {
  Lane& lane = lanes_.at(q);
  DmaSoftware& queue = bench_.queue(q);
  std::uint64_t descriptors = bench_.chance(mix_.chained) ? bench_.random(2, 5) : 1;
  descriptors = std::min<std::uint64_t>(descriptors, queue.space());
  for (std::uint64_t left = descriptors; left > 0; --left) {
    Descriptor d = draw(lane);
    if (full_) {
      // A transfer that was begun still needs an end.
      if (left == descriptors) return;
      d = Descriptor{};
      d.src = sources[0].base;
      d.dst = spare + lane.submitted % 4096 + q * std::uint64_t{4096};
      left = 1;
    }
    d.chain = left > 1;
    d.phase = golden::dma::phase_of(queue.tail(), queue.plan().ring_log2);
    DescriptorWords words = golden::dma::encode(d);
    if (bench_.chance(mix_.bad)) spoil(words);
    const Outcome outcome = queue.submit_words(words);
    const Descriptor& read = outcome.descriptor;
    gives_.at(read.signal_sem) += outcome.gives;
    if (outcome.runs) {
      most_takes_.at(read.wait_sem) += read.wait_count;
      if (!outcome.passed_over) least_takes_.at(read.wait_sem) += read.wait_count;
    }
    if (outcome.runs && !outcome.passed_over && outcome.good == read.total()) lane.done.push_back(read);
    lane.due.push_back(outcome);
    ++submitted_;
    ++lane.submitted;
  }
}

void DmaTraffic::take(unsigned q, const Completion& got) {
  Lane& lane = lanes_.at(q);
  ++seen_[got.status];
  for (bool ended = false; !ended;) {
    ASSERT_FALSE(lane.due.empty()) << "completion " << got.index << " of queue " << q << " for nothing";
    const Outcome want = lane.due.front();
    lane.due.pop_front();
    bench_.settle(want, want.good);
    ended = want.completion.has_value();
    if (!ended) continue;
    const Completion& c = *want.completion;
    EXPECT_TRUE(got == c) << "queue " << q << " index " << c.index << " (got " << got.index << "): status "
                          << static_cast<int>(got.status) << " bytes " << got.bytes << std::hex << " address "
                          << got.addr << ", expected status " << static_cast<int>(c.status) << " bytes " << std::dec
                          << c.bytes << std::hex << " address " << c.addr;
  }
  if (!bench_.chance(mix_.lazy)) bench_.queue(q).release();
}

void DmaTraffic::step() {
  bench_.block.cycle();
  // Semaphores as the rest of the chip gives them.
  const auto sem = static_cast<unsigned>(bench_.random(0, semaphores - 1));
  if (bench_.semaphores.count(sem) < 60) bench_.semaphores.give(sem, 3);
  for (unsigned q = 0; q < queues; ++q) {
    if (const auto got = bench_.queue(q).poll()) take(q, *got);
  }
}

Faults DmaTraffic::draw_faults() {
  Faults faults;
  for (unsigned i = 0; i < mix_.faults; ++i) {
    for (const Arena& arena : sources) faults.read.insert(arena.base + bench_.random(0, arena.bytes / 8 - 1) * 8);
    for (const Arena& arena : targets) faults.write.insert(arena.base + bench_.random(0, arena.bytes / 8 - 1) * 8);
  }
  for (unsigned q = 0; q < queues && mix_.faults != 0; ++q) {
    const RingPlan& plan = bench_.queue(q).plan();
    faults.read.insert(plan.ring_base + bench_.random(0, (std::uint64_t{4} << plan.ring_log2) - 1) * 8);
  }
  return faults;
}

bool DmaTraffic::quiet() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.due.empty(); });
}

void DmaTraffic::round() {
  used_.fill(0);
  for (Lane& lane : lanes_) lane.done.clear();
  full_ = false;
  for (const Arena& arena : sources) bench_.fill(arena.base, arena.bytes);
  for (const Arena& arena : targets) bench_.fill(arena.base, arena.bytes);
  bench_.set_faults(draw_faults());
  while (!full_ && submitted_ < mix_.descriptors && !testing::Test::HasFailure()) {
    const auto q = static_cast<unsigned>(bench_.random(0, queues - 1));
    DmaSoftware& queue = bench_.queue(q);
    const std::uint64_t burst = bench_.random(1, std::uint64_t{1} << queue.plan().ring_log2);
    for (std::uint64_t i = 0; i < burst && submitted_ < mix_.descriptors && queue.space() != 0 && !full_; ++i)
      submit(q);
    queue.doorbell();
    for (std::uint64_t i = bench_.random(0, 100); i > 0; --i) step();
    if (bench_.chance(0.3)) queue.release();
  }
  for (unsigned i = 0; i < 300000 && !quiet() && !testing::Test::HasFailure(); ++i) {
    step();
    if (i % 1000 != 999) continue;
    for (unsigned q = 0; q < queues; ++q) bench_.queue(q).release();
  }
  EXPECT_TRUE(quiet()) << "completions never came";
  for (unsigned q = 0; q < queues; ++q) bench_.queue(q).release();
  bench_.expect_clean();
}

void DmaTraffic::expect_semaphores() {
  for (unsigned s = 0; s < semaphores; ++s) {
    EXPECT_EQ(bench_.semaphores.given.at(s), gives_.at(s)) << "semaphore " << s;
    EXPECT_GE(bench_.semaphores.taken.at(s), least_takes_.at(s)) << "semaphore " << s;
    EXPECT_LE(bench_.semaphores.taken.at(s), most_takes_.at(s)) << "semaphore " << s;
  }
}

}  // namespace tb::blocks
