#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <iostream>
#include <map>

#include "tb/blocks/dma/dma_bench.h"

namespace tb::blocks {
namespace {

using golden::dma::Completion;
using golden::dma::Descriptor;
using golden::dma::DescriptorWords;
using golden::dma::Faults;
using golden::dma::Outcome;
using golden::dma::Status;

struct Arena {
  std::uint64_t base;
  std::uint64_t bytes;
};
// Sources and destinations in each window, some of them at the window's very edges.
constexpr std::array<Arena, 4> sources{{
    {0x00'0010'0000, 0x8000},
    {0x01'0010'0000, 0x20000},
    {0x02'0000'0000, 0x20000},
    {0x03'0000'0000, 0x8000},
}};
constexpr std::array<Arena, 4> targets{{
    {0x00'0010'8000, 0x8000},
    {0x01'FFFE'0000, 0x20000},
    {0x02'4000'0000, 0x20000},
    {0x03'0000'8000, 0x8000},
}};

/// What one kind of traffic looks like.
struct Mix {
  RingPlan plan;
  MemoryManners manners;
  unsigned descriptors = 1000;
  double bad = 0;       ///< chance of a descriptor with something wrong in it
  unsigned faults = 0;  ///< bad words in each of the arenas
  double lazy = 0;      ///< chance that a consumed completion is not released at once
};

/// Random descriptors, in rounds: a round uses each destination byte once, then all memory is compared.
class Traffic {
 public:
  Traffic(const Mix& mix, std::uint64_t salt) : mix_(mix), bench_(DmaBench::instance()) {
    bench_.restart(mix_.plan, salt);
    bench_.port.manners = mix_.manners;
  }

  void run() {
    while (submitted_ < mix_.descriptors && !testing::Test::HasFailure()) round();
  }
  const std::map<Status, unsigned>& seen() const { return seen_; }
  unsigned submitted() const { return submitted_; }

 private:
  void round();
  void step();
  void take(const Completion& got);
  Descriptor draw();
  void submit();
  std::uint32_t draw_bytes();
  std::optional<std::uint64_t> place(std::uint32_t bytes);
  void spoil(DescriptorWords& words);
  Faults draw_faults();

  Mix mix_;
  DmaBench& bench_;
  std::array<std::uint64_t, 4> used_{};
  std::deque<Outcome> due_;
  std::vector<Descriptor> done_;  ///< copies of this round that must have succeeded; fenced ones may read them
  std::map<Status, unsigned> seen_;
  unsigned submitted_ = 0;
  bool full_ = false;
};

std::uint32_t Traffic::draw_bytes() {
  const std::uint64_t kind = bench_.random(0, 999);
  if (kind < 600) return static_cast<std::uint32_t>(bench_.random(1, 64));
  if (kind < 850) return static_cast<std::uint32_t>(bench_.random(65, 600));
  if (kind < 980) return static_cast<std::uint32_t>(bench_.random(601, 4200));
  if (kind < 998) return static_cast<std::uint32_t>(bench_.random(4201, 16384));
  return static_cast<std::uint32_t>(bench_.random(65520, 65536));
}

/// A destination that no other copy of the round uses, with a gap before it.
std::optional<std::uint64_t> Traffic::place(std::uint32_t bytes) {
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

Descriptor Traffic::draw() {
  Descriptor d;
  d.bytes = draw_bytes();
  d.tag = static_cast<std::uint16_t>(bench_.random(0, 0xFFFF));
  d.irq = bench_.chance(0.5);
  d.fence = bench_.chance(0.1);
  if (d.fence && !done_.empty() && bench_.chance(0.7)) {
    const Descriptor& earlier = done_[bench_.random(0, done_.size() - 1)];
    d.bytes = static_cast<std::uint32_t>(bench_.random(1, earlier.bytes));
    d.src = earlier.dst + bench_.random(0, earlier.bytes - d.bytes);
  } else {
    const Arena* arena = &sources.at(bench_.random(0, 3));
    while (arena->bytes < d.bytes) arena = &sources.at(bench_.random(1, 2));
    d.src = arena->base + bench_.random(0, arena->bytes - d.bytes);
    if (bench_.chance(0.05)) d.src = arena->base + arena->bytes - d.bytes;
  }
  const auto dst = place(d.bytes);
  full_ = !dst;
  d.dst = dst.value_or(0);
  return d;
}

/// One thing wrong: the phase, a fixed or reserved bit, or an address.
void Traffic::spoil(DescriptorWords& words) {
  switch (bench_.random(0, 5)) {
    case 0:
      words[3] ^= bench_.random(1, 3) << 62;
      break;
    case 1:
      words[3] ^= std::uint64_t{1} << bench_.random(0, 61);
      break;
    case 2:
      words[bench_.random(0, 1)] |= std::uint64_t{1} << bench_.random(40, 63);
      break;
    case 3:
      words[2] |= std::uint64_t{1} << bench_.random(34, 63);
      break;
    case 4:
      words[bench_.random(0, 1)] = bench_.random(0, 0xFF'FFFF'FFFF);
      break;
    default: {
      // Across the end of a window, by one byte or more; a single byte lies just behind the SRAM.
      constexpr std::array<std::uint64_t, 4> ends{0x00'0011'0000, 0x02'0000'0000, 0x03'0000'0000, 0x03'0001'0000};
      const std::uint64_t bytes = golden::dma::decode(words).bytes;
      words[bench_.random(0, 1)] =
          bytes == 1 ? ends[0] : ends.at(bench_.random(0, 3)) - bytes + bench_.random(1, bytes - 1);
    }
  }
}

void Traffic::submit() {
  const Descriptor d = draw();
  if (full_) return;
  Descriptor phased = d;
  phased.phase = golden::dma::phase_of(bench_.tail(), mix_.plan.ring_log2);
  DescriptorWords words = golden::dma::encode(phased);
  if (bench_.chance(mix_.bad)) spoil(words);
  due_.push_back(bench_.submit_words(words));
  ++submitted_;
  if (due_.back().completion.status == Status::ok) done_.push_back(due_.back().descriptor);
}

void Traffic::take(const Completion& got) {
  ASSERT_FALSE(due_.empty()) << "completion " << got.index << " for nothing";
  const Outcome want = due_.front();
  due_.pop_front();
  ++seen_[got.status];
  EXPECT_TRUE(got == want.completion) << "index " << want.completion.index << ": status "
                                      << static_cast<int>(got.status) << " bytes " << got.bytes << std::hex
                                      << " address " << got.addr << ", expected status "
                                      << static_cast<int>(want.completion.status) << " bytes " << std::dec
                                      << want.completion.bytes << std::hex << " address " << want.completion.addr;
  if (want.runs) {
    bench_.settle(want, got, bench_.expected.read(want.descriptor.src, want.descriptor.bytes));
  }
  if (!bench_.chance(mix_.lazy)) bench_.release();
}

void Traffic::step() {
  bench_.block.cycle();
  if (const auto got = bench_.poll()) take(*got);
}

Faults Traffic::draw_faults() {
  Faults faults;
  for (unsigned i = 0; i < mix_.faults; ++i) {
    for (const Arena& arena : sources) faults.read.insert(arena.base + bench_.random(0, arena.bytes / 8 - 1) * 8);
    for (const Arena& arena : targets) faults.write.insert(arena.base + bench_.random(0, arena.bytes / 8 - 1) * 8);
  }
  if (mix_.faults != 0) {
    faults.read.insert(mix_.plan.ring_base + bench_.random(0, (std::uint64_t{4} << mix_.plan.ring_log2) - 1) * 8);
  }
  return faults;
}

void Traffic::round() {
  used_.fill(0);
  done_.clear();
  full_ = false;
  for (const Arena& arena : sources) bench_.fill(arena.base, arena.bytes);
  for (const Arena& arena : targets) bench_.fill(arena.base, arena.bytes);
  bench_.set_faults(draw_faults());
  while (!full_ && submitted_ < mix_.descriptors && !testing::Test::HasFailure()) {
    const std::uint64_t burst = bench_.random(1, std::uint64_t{1} << mix_.plan.ring_log2);
    for (std::uint64_t i = 0; i < burst && submitted_ < mix_.descriptors && bench_.has_space() && !full_; ++i) submit();
    bench_.doorbell();
    for (std::uint64_t i = bench_.random(0, 400); i > 0; --i) step();
    if (bench_.chance(0.3)) bench_.release();
  }
  for (unsigned i = 0; i < 300000 && !due_.empty(); ++i) {
    step();
    if (i % 1000 == 999) bench_.release();
  }
  EXPECT_TRUE(due_.empty()) << due_.size() << " completions never came";
  bench_.release();
  bench_.expect_clean();
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

void report(const char* name, const Traffic& traffic) {
  std::cout << name << ": seed " << seed() << ", completions by status";
  for (const auto& [status, count] : traffic.seen()) std::cout << ' ' << static_cast<int>(status) << ':' << count;
  std::cout << '\n';
}

TEST(DmaRandom, CleanTrafficOverManyWraps) {
  Mix mix;
  mix.descriptors = 7000;
  mix.manners.most_latency = 40;
  Traffic traffic(mix, 100);
  traffic.run();
  report("clean", traffic);
  EXPECT_EQ(traffic.seen().at(Status::ok), traffic.submitted());
}

TEST(DmaRandom, RoughMemoryAndLongBursts) {
  Mix mix;
  mix.plan.long_bursts = true;
  mix.plan.ring_log2 = 6;
  mix.plan.comp_log2 = 3;
  mix.descriptors = 6000;
  mix.manners = rough();
  mix.lazy = 0.9;
  Traffic traffic(mix, 101);
  traffic.run();
  report("rough", traffic);
  EXPECT_GT(DmaBench::instance().registers.read("dma.ring_overruns"), 0U);
}

TEST(DmaRandom, EveryErrorIsContained) {
  Mix mix;
  mix.plan.ring_log2 = 5;
  mix.plan.comp_log2 = 6;
  mix.descriptors = 12000;
  mix.manners = rough();
  mix.bad = 0.15;
  mix.faults = 3;
  Traffic traffic(mix, 102);
  traffic.run();
  report("errors", traffic);
  auto& registers = DmaBench::instance().registers;
  for (int status = 0; status <= 7; ++status) {
    const auto found = traffic.seen().find(static_cast<Status>(status));
    const unsigned count = found == traffic.seen().end() ? 0 : found->second;
    EXPECT_EQ(count != 0, status != static_cast<int>(Status::aborted)) << "status " << status;
    EXPECT_EQ(registers.read("dma.errors[" + std::to_string(status) + "]"), count) << "status " << status;
  }
  EXPECT_EQ(registers.read("dma.descriptors"), traffic.submitted());
}

TEST(DmaRandom, SmallestRings) {
  Mix mix;
  mix.plan.ring_log2 = 2;
  mix.plan.comp_log2 = 2;
  mix.descriptors = 3000;
  mix.manners = rough();
  mix.bad = 0.05;
  mix.faults = 1;
  mix.lazy = 0.5;
  Traffic traffic(mix, 103);
  traffic.run();
  report("smallest", traffic);
}

TEST(DmaRandom, LargestRings) {
  Mix mix;
  mix.plan.ring_log2 = 12;
  mix.plan.comp_log2 = 12;
  mix.descriptors = 5000;
  mix.manners.least_latency = mix.manners.most_latency = 5;
  Traffic traffic(mix, 104);
  traffic.run();
  report("largest", traffic);
}

}  // namespace
}  // namespace tb::blocks
