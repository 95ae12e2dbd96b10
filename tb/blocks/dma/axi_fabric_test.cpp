#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>

#include "Vfabric_bench_top.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/dma/axi_manager_agent.h"
#include "tb/blocks/dma/axi_memory_agent.h"
#include "tb/golden/axi/sparse_memory.h"

namespace tb::blocks {
namespace {

using golden::axi::Address;
using golden::axi::Response;
using golden::axi::SparseMemory;
using golden::axi::WriteBeat;

constexpr std::uint64_t sram = 0x00'0010'0000;
constexpr std::uint64_t scratchpad = 0x00'0020'0000;
constexpr std::uint64_t hbm = 0x01'0000'0000;
constexpr std::uint64_t host = 0x02'0000'0000;
constexpr std::uint64_t peer = 0x03'0000'0000;
constexpr std::uint64_t mesh = 0x92'0010'0000;

/// The fabric with a memory behind each of its ports and a manager at each of its entries.
struct Fabric {
  static Fabric& instance() {
    static Fabric fabric;
    return fabric;
  }
  Fabric()
      : block("bench"),
        dma0("fabric.dma0", FL_AXI_PINS(block.dut(), dma0), seed() + 1),
        dma1("fabric.dma1", FL_AXI_PINS(block.dut(), dma1), seed() + 2),
        fetch("fabric.fetch", FL_AXI_PINS(block.dut(), fetch), seed() + 3),
        peer_in("fabric.peer_in", FL_AXI_PINS(block.dut(), peer_in), seed() + 4),
        mesh_in("fabric.mesh_in", FL_AXI_PINS(block.dut(), mesh_in), seed() + 9),
        sram_port("fabric.sram", FL_AXI_PINS(block.dut(), sram), memory, seed() + 5),
        scratchpad_port("fabric.scratchpad", FL_AXI_PINS(block.dut(), scratchpad), memory, seed() + 6),
        mem_port("fabric.mem", FL_AXI_PINS(block.dut(), mem), memory, seed() + 7),
        peer_port("fabric.peer", FL_AXI_PINS(block.dut(), peer), memory, seed() + 8),
        mesh_port("fabric.mesh", FL_AXI_PINS(block.dut(), mesh), memory, seed() + 10) {
    for (AxiManagerAgent* m : managers) block.add(*m);
    for (AxiMemoryAgent* m : memories) block.add(*m);
  }
  void restart(std::uint64_t salt) {
    random.seed(seed() * 7919 + salt);
    memory = SparseMemory();
    for (AxiManagerAgent* m : managers) {
      m->reset();
      m->eager = 1.0;
    }
    block.reset();
    for (AxiManagerAgent* m : managers) m->reset();
    for (AxiMemoryAgent* m : memories) {
      m->reset();
      m->manners = {};
      m->reads.clear();
      m->writes.clear();
    }
  }
  bool drain(std::uint64_t limit) {
    const auto idle = [this] {
      std::size_t left = 0;
      for (const AxiManagerAgent* m : managers) left += m->open() + m->waiting();
      return left == 0;
    };
    return block.cycle_until(idle, limit);
  }
  void expect_clean() {
    block.cycle(50);
    for (const AxiManagerAgent* m : managers) {
      EXPECT_EQ(m->strays, 0U);
      EXPECT_TRUE(m->checker().idle());
      for (const auto& text : m->checker().violations()) ADD_FAILURE() << text;
    }
    for (const AxiMemoryAgent* m : memories) {
      EXPECT_TRUE(m->idle());
      for (const auto& text : m->checker().violations()) ADD_FAILURE() << text;
    }
  }
  std::uint64_t draw(std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
  }

  BlockBench<Vfabric_bench_top> block;
  SparseMemory memory;
  AxiManagerAgent dma0;
  AxiManagerAgent dma1;
  AxiManagerAgent fetch;
  AxiManagerAgent peer_in;
  AxiManagerAgent mesh_in;
  AxiMemoryAgent sram_port;
  AxiMemoryAgent scratchpad_port;
  AxiMemoryAgent mem_port;
  AxiMemoryAgent peer_port;
  AxiMemoryAgent mesh_port;
  const std::array<AxiManagerAgent*, 5> managers{&dma0, &dma1, &fetch, &peer_in, &mesh_in};
  const std::array<AxiMemoryAgent*, 5> memories{&sram_port, &scratchpad_port, &mem_port, &peer_port, &mesh_port};
  std::mt19937_64 random;
};

/// Random reads and writes of one manager in its own part of each target, checked against a memory that knows the order
/// of each address: reads only of what no open write touches.
class ManagerTraffic {
 public:
  /// `holes` are addresses that are not there for this manager.
  ManagerTraffic(Fabric& fabric, AxiManagerAgent& manager, std::vector<std::uint64_t> areas,
                 std::vector<std::uint64_t> holes, bool writes = true)
      : fabric_(fabric), manager_(manager), areas_(std::move(areas)), holes_(std::move(holes)), writes_(writes) {}

  void issue();
  void check();
  unsigned errors() const { return errors_; }
  unsigned done() const { return done_; }

 private:
  static constexpr std::uint64_t block_bytes = 256;
  static constexpr std::uint64_t blocks = 32;
  Address draw_address(bool& exists);

  Fabric& fabric_;
  AxiManagerAgent& manager_;
  std::vector<std::uint64_t> areas_;
  std::vector<std::uint64_t> holes_;
  bool writes_;
  std::map<std::uint64_t, unsigned> busy_;  ///< blocks with something open
  SparseMemory expected_;
  std::map<unsigned, bool> exists_;
  unsigned next_tag_ = 0;
  unsigned errors_ = 0;
  unsigned done_ = 0;
};

Address ManagerTraffic::draw_address(bool& exists) {
  Address a;
  a.id = static_cast<std::uint8_t>(fabric_.draw(0, 15));
  const std::uint64_t first = fabric_.draw(0, 31);
  a.len = static_cast<std::uint8_t>(fabric_.draw(0, 31 - first));
  std::uint64_t base = areas_[fabric_.draw(0, areas_.size() - 1)];
  exists = fabric_.draw(0, 9) != 0;
  if (!exists) base = holes_[fabric_.draw(0, holes_.size() - 1)];
  a.addr = base + fabric_.draw(0, blocks - 1) * block_bytes + first * 8;
  return a;
}

void ManagerTraffic::issue() {
  bool exists = true;
  const Address a = draw_address(exists);
  const std::uint64_t block = a.addr / block_bytes;
  if (exists && busy_[block] != 0) return;
  const unsigned tag = next_tag_++;
  exists_[tag] = exists;
  if (exists) ++busy_[block];
  if (!writes_ || fabric_.draw(0, 1) != 0) {
    manager_.read(a, tag);
    return;
  }
  std::vector<WriteBeat> beats;
  for (unsigned i = 0; i <= a.len; ++i) {
    beats.push_back({fabric_.random(), static_cast<std::uint8_t>(fabric_.draw(0, 255)), i == a.len});
    if (exists) expected_.write64(a.addr + std::uint64_t{8} * i, beats.back().data, beats.back().strb);
  }
  manager_.write(a, beats, tag);
}

void ManagerTraffic::check() {
  for (const auto& burst : manager_.finished_reads) {
    const bool exists = exists_.at(burst.tag);
    ASSERT_EQ(burst.answers.size(), burst.address.len + 1U);
    for (std::size_t i = 0; i < burst.answers.size(); ++i) {
      ASSERT_EQ(burst.answers[i].resp, exists ? Response::okay : Response::decerr) << std::hex << burst.address.addr;
      if (exists) {
        ASSERT_EQ(burst.answers[i].data, expected_.read64(burst.address.addr + 8 * i))
            << std::hex << burst.address.addr;
      }
    }
    if (exists) --busy_[burst.address.addr / block_bytes];
    errors_ += !exists;
    ++done_;
  }
  for (const auto& burst : manager_.finished_writes) {
    const bool exists = exists_.at(burst.tag);
    ASSERT_EQ(burst.response.resp, exists ? Response::okay : Response::decerr) << std::hex << burst.address.addr;
    if (exists) --busy_[burst.address.addr / block_bytes];
    errors_ += !exists;
    ++done_;
  }
  manager_.finished_reads.clear();
  manager_.finished_writes.clear();
}

void run_random(std::uint64_t salt, double eager, const MemoryManners& manners, unsigned bursts) {
  Fabric& fabric = Fabric::instance();
  fabric.restart(salt);
  for (AxiManagerAgent* m : fabric.managers) m->eager = eager;
  for (AxiMemoryAgent* m : fabric.memories) m->manners = manners;
  const std::vector<std::uint64_t> holes{0, 0x00'0011'0000, 0x00'0022'0000, 0x03'0001'0000, 0x7F'0000'0000};
  std::array<ManagerTraffic, 5> traffic{
      ManagerTraffic(fabric, fabric.dma0, {sram, scratchpad, hbm, host, peer, mesh}, holes),
      ManagerTraffic(fabric, fabric.dma1,
                     {sram + 0x4000, scratchpad + 0x4000, hbm + 0x4000, host + 0x4000, peer + 0x4000, mesh + 0x4000},
                     holes),
      ManagerTraffic(fabric, fabric.fetch, {sram + 0x8000, hbm + 0x8000, host + 0x8000}, {0, scratchpad, peer, mesh},
                     false),
      ManagerTraffic(fabric, fabric.peer_in, {sram + 0xC000}, {scratchpad, hbm, peer, mesh}),
      ManagerTraffic(fabric, fabric.mesh_in, {sram + 0xE000, scratchpad + 0x8000, hbm + 0xC000, host + 0xC000},
                     {0, peer, mesh})};
  const auto least = [&traffic] {
    unsigned out = traffic[0].done();
    for (const ManagerTraffic& t : traffic) out = std::min(out, t.done());
    return out;
  };
  const auto all = [&traffic] {
    unsigned out = 0;
    for (const ManagerTraffic& t : traffic) out += t.done();
    return out;
  };
  unsigned quiet = 0;
  const std::uint64_t end = fabric.block.cycles() + bursts * std::uint64_t{600};  // no manager may starve
  while (least() < bursts && quiet < 5000 && fabric.block.cycles() < end && !testing::Test::HasFailure()) {
    const unsigned before = all();
    for (std::size_t m = 0; m < traffic.size(); ++m)
      if (fabric.managers.at(m)->waiting() < 8) traffic.at(m).issue();
    fabric.block.cycle();
    for (ManagerTraffic& t : traffic) t.check();
    quiet = all() == before ? quiet + 1 : 0;
  }
  EXPECT_LT(quiet, 5000U) << "nothing moves";
  EXPECT_GE(least(), bursts);
  EXPECT_TRUE(fabric.drain(20000));
  for (ManagerTraffic& t : traffic) {
    t.check();
    EXPECT_GT(t.errors(), bursts / 50);
    std::cout << t.done() << " bursts, " << t.errors() << " decode errors\n";
  }
  fabric.expect_clean();
}

TEST(AxiFabric, EagerManagersOnFastMemories) { run_random(1, 1.0, {}, 3000); }

TEST(AxiFabric, RoughManagersOnRoughMemories) {
  MemoryManners manners;
  manners.most_latency = 50;
  manners.ready = 0.6;
  manners.answer = 0.7;
  manners.reorder = true;
  run_random(2, 0.6, manners, 3000);
}

std::vector<WriteBeat> beats(unsigned count) {
  std::vector<WriteBeat> out;
  for (unsigned i = 0; i < count; ++i) out.push_back({i * std::uint64_t{0x0101}, 0xFF, i + 1 == count});
  return out;
}

// The two things that would close a circle of waiting across two linked chips: a write to the SRAM that waits behind
// one to a frozen link, and an inbound access that waits for the outbound one.
TEST(AxiFabric, AFrozenLinkDoesNotBlockTheSram) {
  Fabric& fabric = Fabric::instance();
  fabric.restart(3);
  fabric.peer_port.manners.frozen = true;
  fabric.dma0.write({2, peer, 15}, beats(16), 0);
  fabric.dma0.write({3, sram, 15}, beats(16), 1);
  fabric.dma0.read({1, sram, 3}, 2);
  fabric.block.cycle(100);
  EXPECT_TRUE(fabric.sram_port.writes.empty()) << "an SRAM write is on its way whose data waits for the link";
  EXPECT_EQ(fabric.dma0.finished_reads.size(), 1U);
  for (unsigned i = 0; i < 20; ++i) fabric.peer_in.write({2, sram + std::uint64_t{0x100} * i, 7}, beats(8), i);
  fabric.peer_in.read({2, sram, 7}, 0);
  fabric.block.cycle(500);
  EXPECT_EQ(fabric.peer_in.finished_writes.size(), 20U);
  EXPECT_EQ(fabric.peer_in.finished_reads.size(), 1U);
  fabric.peer_port.manners.frozen = false;
  EXPECT_TRUE(fabric.drain(1000));
  fabric.expect_clean();
}

/// Two managers that always have more to write or read, with `ids` IDs each; `apart` is what the second adds to its
/// IDs.
struct Share {
  double of_second;
  double beats_per_cycle;
};
Share share_of_sram(bool write, unsigned ids, unsigned apart) {
  Fabric& fabric = Fabric::instance();
  fabric.restart(4);
  fabric.sram_port.manners.least_latency = fabric.sram_port.manners.most_latency = 12;
  for (unsigned i = 0; i < 200; ++i) {
    const auto id = static_cast<std::uint8_t>(i % ids);
    const Address first{id, sram + i * 0x80 % 0x8000, 15};
    const Address second{static_cast<std::uint8_t>(id + apart), sram + 0x8000 + i * 0x80 % 0x8000, 15};
    if (write) {
      fabric.dma0.write(first, beats(16), i);
      fabric.peer_in.write(second, beats(16), i);
    } else {
      fabric.dma0.read(first, i);
      fabric.peer_in.read(second, i);
    }
  }
  const std::uint64_t begin = fabric.block.cycles();
  const auto done = [&](const AxiManagerAgent& m) { return m.finished_writes.size() + m.finished_reads.size(); };
  fabric.block.cycle_until([&] { return done(fabric.dma0) >= 100; }, 20000);
  const double of_second = static_cast<double>(done(fabric.peer_in)) / 100;
  const double rate = (100 + 100 * of_second) * 16 / static_cast<double>(fabric.block.cycles() - begin);
  EXPECT_TRUE(fabric.drain(20000));
  fabric.expect_clean();
  return {of_second, rate};
}

TEST(AxiFabric, BothManagersShareTheSramFairly) {
  struct Ids {
    unsigned count;
    unsigned apart;
    double least;  ///< beats a cycle
  };
  for (const bool write : {true, false}) {
    for (const Ids ids : {Ids{4, 4, 0.95}, Ids{4, 0, 0.4}, Ids{1, 1, 0.95}, Ids{1, 0, 0.2}}) {
      const Share share = share_of_sram(write, ids.count, ids.apart);
      std::cout << (write ? "writes, " : "reads, ") << ids.count << " IDs " << (ids.apart != 0 ? "apart" : "shared")
                << ": " << share.beats_per_cycle << " beats/cycle, second to first " << share.of_second << "\n";
      EXPECT_GT(share.of_second, 0.9);
      EXPECT_LT(share.of_second, 1.1);
      EXPECT_GT(share.beats_per_cycle, ids.least);
    }
  }
}

// What the tensor engine lives on: one engine brings operands from external memory while the other moves within the
// chip.
TEST(AxiFabric, EnginesThatWantDifferentThingsDoNotMeet) {
  Fabric& fabric = Fabric::instance();
  fabric.restart(5);
  constexpr unsigned bursts = 64;
  for (unsigned i = 0; i < bursts; ++i) {
    const auto id = static_cast<std::uint8_t>(i % 4);
    fabric.dma0.read({id, hbm + std::uint64_t{0x80} * i, 15}, i);
    fabric.dma0.write({id, host + std::uint64_t{0x80} * i, 15}, beats(16), i);
    fabric.dma1.read({id, sram + std::uint64_t{0x80} * i, 15}, i);
    fabric.dma1.write({id, scratchpad + std::uint64_t{0x80} * i, 15}, beats(16), i);
  }
  const std::uint64_t begin = fabric.block.cycles();
  EXPECT_TRUE(fabric.drain(20000));
  const double rate = bursts * 16.0 / static_cast<double>(fabric.block.cycles() - begin);
  std::cout << "four streams of " << rate << " beats a cycle each\n";
  EXPECT_GT(rate, 0.95);
  fabric.expect_clean();
}

// Its clock stands while nothing is shown: between transfers, and while a slow memory thinks.
TEST(AxiFabric, WhatComesAfterALongSilenceIsNotMissed) {
  Fabric& fabric = Fabric::instance();
  fabric.restart(6);
  for (AxiMemoryAgent* m : fabric.memories) m->manners.least_latency = m->manners.most_latency = 150;
  for (unsigned round = 0; round < 40; ++round) {
    fabric.block.cycle(fabric.draw(60, 200));
    for (const std::uint64_t target : {sram, scratchpad, hbm, peer}) {
      AxiManagerAgent& m = round % 2 == 0 ? fabric.dma0 : fabric.dma1;
      const std::uint64_t value = fabric.random();
      m.finished_reads.clear();
      m.write({3, target + std::uint64_t{8} * round, 0}, {{value, 0xFF, true}}, 0);
      ASSERT_TRUE(fabric.drain(1000));
      m.read({3, target + std::uint64_t{8} * round, 0}, 0);
      ASSERT_TRUE(fabric.drain(1000));
      EXPECT_EQ(m.finished_reads.at(0).answers.at(0).data, value);
    }
  }
  fabric.expect_clean();
}

}  // namespace
}  // namespace tb::blocks
