// The mesh from chip to chip: two routers with a whole link between them. docs/mesh.md, "From chip to chip".
#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "tb/blocks/link/one_bench.h"
#include "tb/blocks/mesh/mesh_link_bench.h"

namespace tb::blocks::mesh {
namespace {

using golden::axi::Response;
using golden::axi::WriteBeat;

MeshLinkBench& trained_bench(std::uint64_t salt) {
  MeshLinkBench& bench = link::OneBench<MeshLinkBench>::fresh();
  bench.restart(salt);
  EXPECT_GE(bench.train(), 0) << bench.stories();
  bench.join();
  return bench;
}

std::vector<WriteBeat> beats(unsigned count, std::uint64_t first) {
  std::vector<WriteBeat> out;
  for (unsigned i = 0; i < count; ++i) out.push_back({first + i, 0xFF, i + 1 == count});
  return out;
}

void set_bit_error_rate(MeshLinkBench& bench, double rate) {
  for (unsigned side = 0; side < 2; ++side)
    for (unsigned lane = 0; lane < SerdesChannel::lanes; ++lane) bench.channel(side).set_bit_error_rate(lane, rate);
}

/// Writes and reads back in the neighbour's SRAM by the link's own accesses, over and over.
class DirectTraffic {
 public:
  DirectTraffic(MeshLinkBench& bench, unsigned side) : bench_(bench), side_(side) {}
  void step() {
    AxiManagerAgent& direct = bench_.direct(side_);
    if (direct.open() + direct.waiting() != 0) return;
    check(direct);
    const std::uint64_t addr = 0x80 * (done_ % 64);
    if (reads_)
      direct.read({1, addr, 15}, 0);
    else
      direct.write({1, addr, 15}, beats(16, value()), 0);
  }
  unsigned done() const { return done_; }

 private:
  std::uint64_t value() const { return (done_ << 8U) + side_; }
  void check(AxiManagerAgent& direct) {
    for (const auto& write : direct.finished_writes) {
      EXPECT_EQ(write.response.resp, Response::okay);
      reads_ = true;
    }
    for (const auto& read : direct.finished_reads) {
      for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(read.answers.at(i).data, value() + i);
      reads_ = false;
      ++done_;
    }
    direct.finished_writes.clear();
    direct.finished_reads.clear();
  }
  MeshLinkBench& bench_;
  unsigned side_;
  bool reads_ = false;
  unsigned done_ = 0;
};

TEST(MeshRegisters, HoldWhatTheyAreSaidTo) {
  MeshLinkBench& bench = link::OneBench<MeshLinkBench>::fresh();
  bench.restart(7);
  for (const std::string& text : bench.walk_mesh_registers(0)) ADD_FAILURE() << text;
}

constexpr unsigned kEast = 1;
constexpr unsigned kWest = 3;
constexpr unsigned kLocal = 4;
/// The element of `sent`, `stalled` and `discarded`.
std::string counter(std::string_view name, unsigned port, bool answer) {
  return std::string(name) + "[" + std::to_string(2 * port + (answer ? 1 : 0)) + "]";
}

TEST(MeshRegisters, CountFlitsWhereTheyPass) {
  MeshLinkBench& bench = trained_bench(8);
  bench.manager(0).write({3, there(1, 0x10'0000), 15}, beats(16, 0), 0);
  ASSERT_TRUE(bench.drain(1000));
  // Header, data and CRC there, header and CRC back.
  const std::map<std::string, unsigned> expected[] = {
      {{counter("sent", kEast, false), 18}, {counter("sent", kLocal, true), 2}},
      {{counter("sent", kLocal, false), 18}, {counter("sent", kWest, true), 2}}};
  for (unsigned n = 0; n < 2; ++n)
    for (unsigned port = 0; port <= kLocal; ++port)
      for (const bool answer : {false, true}) {
        const std::string sent = counter("sent", port, answer);
        const auto place = expected[n].find(sent);
        EXPECT_EQ(bench.mesh_read(n, sent), place == expected[n].end() ? 0 : place->second) << n << ": " << sent;
      }
  bench.mesh_write(0, "command.clear_counters", 1);
  EXPECT_EQ(bench.mesh_read(0, counter("sent", kEast, false)), 0U);
}

TEST(MeshRegisters, SayWhyAnAccessFailed) {
  MeshLinkBench& bench = trained_bench(9);
  bench.set_timeout(300);
  const auto expect_failures = [&bench] {
    AxiManagerAgent& manager = bench.manager(0);
    manager.write({1, there(1, 0x10'0000), 3}, beats(4, 1), 0);
    manager.read({1, there(1, 0x10'0000), 3}, 0);
    ASSERT_TRUE(bench.drain(2000));
    EXPECT_EQ(manager.finished_writes.at(0).response.resp, Response::slverr);
    EXPECT_EQ(manager.finished_reads.at(0).answers.at(3).resp, Response::slverr);
    manager.finished_writes.clear();
    manager.finished_reads.clear();
  };
  bench.mesh_write(0, "ctrl.enable", 0);
  ASSERT_NO_FATAL_FAILURE(expect_failures());
  for (const char* name : {"refused[0]", "refused[1]"}) EXPECT_EQ(bench.mesh_read(0, name), 1U) << name;
  EXPECT_EQ(bench.mesh_read(0, "irq_status"), 0U);
  bench.mesh_write(0, "ctrl.enable", 1);
  bench.enable_ports(false);
  ASSERT_NO_FATAL_FAILURE(expect_failures());
  for (const char* name : {"timed_out[0]", "timed_out[1]"}) EXPECT_EQ(bench.mesh_read(0, name), 1U) << name;
  EXPECT_EQ(bench.mesh_read(0, counter("discarded", kLocal, false)), 2U);
  for (const char* cause : {"timed_out", "discarded"}) {
    const std::string status = std::string("irq_status.") + cause;
    EXPECT_EQ(bench.mesh_read(0, status), 1U) << cause;
    EXPECT_EQ(bench.dut(0).mesh_irq_o, 0) << cause;
    bench.mesh_write(0, std::string("irq_mask.") + cause, 1);
    bench.cycle(2);
    EXPECT_EQ(bench.dut(0).mesh_irq_o, 1) << cause;
    bench.mesh_write(0, status, 1);
    bench.cycle(2);
    EXPECT_EQ(bench.dut(0).mesh_irq_o, 0) << cause;
  }
}

TEST(MeshRegisters, TheClockRestsAndWakesInTime) {
  MeshLinkBench& bench = trained_bench(10);
  for (unsigned round = 0; round < 8; ++round) {
    bench.cycle(200 + round);
    for (unsigned n = 0; n < 2; ++n) EXPECT_EQ(bench.dut(n).mesh_clock_o, 0) << n;
    bench.manager(round % 2).write({3, there(1 - round % 2, 0x10'0000), 15}, beats(16, round), 0);
    ASSERT_TRUE(bench.drain(1000));
    EXPECT_EQ(bench.memory(1 - round % 2).read64(0x10'0078), round + 15);
  }
  bench.expect_protocol_kept();
}

TEST(MeshLink, EachNodeReachesTheOthersMemory) {
  MeshLinkBench& bench = trained_bench(1);
  for (unsigned from = 0; from < 2; ++from) {
    AxiManagerAgent& manager = bench.manager(from);
    manager.write({3, there(1 - from, 0x1'2345'6780), 15}, beats(16, from << 8U), 0);
    ASSERT_TRUE(bench.drain(1000));
    EXPECT_EQ(manager.finished_writes.at(0).response.resp, Response::okay);
    EXPECT_EQ(bench.memory(1 - from).read64(0x1'2345'6788), (from << 8U) + 1);
    manager.read({5, there(1 - from, 0x1'2345'6780), 15}, 0);
    ASSERT_TRUE(bench.drain(1000));
    EXPECT_EQ(manager.finished_reads.at(0).answers.at(15).data, (from << 8U) + 15);
  }
  bench.expect_protocol_kept();
}

TEST(MeshLink, SharesTheLinkWithItsOwnAccesses) {
  MeshLinkBench& bench = trained_bench(2);
  Everyone everyone(bench);
  DirectTraffic east(bench, 0);
  DirectTraffic west(bench, 1);
  for (unsigned i = 0; i < 15'000 && !HasFailure(); ++i) {
    east.step();
    west.step();
    everyone.run(1);
  }
  everyone.settle();
  std::cout << everyone.done() << " accesses of the mesh, " << east.done() << " and " << west.done()
            << " of the link\n";
  EXPECT_GT(everyone.done(), 500U);
  EXPECT_GT(east.done(), 50U);
  EXPECT_GT(west.done(), 50U);
  EXPECT_EQ(everyone.failed(), 0U);
}

TEST(MeshLink, ErrorsOnTheLanesAndRetrainingLoseNothing) {
  MeshLinkBench& bench = trained_bench(3);
  set_bit_error_rate(bench, 1e-4);
  Everyone everyone(bench);
  for (unsigned i = 0; i < 8; ++i) {
    everyone.run(3000);
    bench.command(bench.dice.below(2), "command.retrain");
  }
  everyone.settle();
  std::cout << everyone.done() << " accesses, " << bench.read(0, "crc_errors") + bench.read(1, "crc_errors")
            << " frames lost, " << bench.read(0, "recoveries") << " recoveries\n";
  EXPECT_GT(bench.read(0, "crc_errors") + bench.read(1, "crc_errors"), 10U);
  EXPECT_GE(bench.read(0, "recoveries"), 8U);
  EXPECT_EQ(everyone.failed(), 0U);
}

TEST(MeshLink, WhatASessionTookWithItEndsWithAnErrorAndNothingElse) {
  MeshLinkBench& bench = trained_bench(4);
  bench.set_timeout(2000);
  Everyone everyone(bench);
  for (unsigned i = 0; i < 6; ++i) {
    everyone.run(1500 + bench.dice.below(64));
    bench.command(bench.dice.below(2), "command.hot_reset");
  }
  ASSERT_TRUE(bench.wait_state(0, link::State::l0, 20'000) && bench.wait_state(1, link::State::l0, 20'000))
      << bench.stories();
  everyone.settle();
  const unsigned failed = everyone.failed();
  std::cout << everyone.done() << " accesses, " << failed << " errors\n";
  EXPECT_GT(failed, 0U);
  everyone.expect_no_more_failures();
}

TEST(MeshLink, PortsGoOffAndOnInTheMidstOfPackets) {
  MeshLinkBench& bench = trained_bench(5);
  bench.set_timeout(2000);
  Everyone everyone(bench);
  for (unsigned i = 0; i < 20; ++i) {
    everyone.run(1000 + bench.dice.below(64));
    bench.enable_ports(false);
    everyone.run(400);
    EXPECT_FALSE(bench.ports_wait());
    bench.enable_ports(true);
  }
  everyone.settle();
  const unsigned failed = everyone.failed();
  std::cout << everyone.done() << " accesses, " << failed << " errors\n";
  EXPECT_GT(failed, 0U);
  everyone.expect_no_more_failures();
}

TEST(MeshLink, KeepsTheLinkBusy) {
  MeshLinkBench& bench = trained_bench(6);
  constexpr unsigned bursts = 64;
  for (unsigned i = 0; i < bursts; ++i) {
    bench.manager(0).write({1, there(1, 0x10'0000 + 0x80 * i), 15}, beats(16, i), i);
    bench.manager(1).read({1, there(0, 0x10'0000 + 0x80 * i), 15}, i);
  }
  const std::uint64_t begin = bench.cycles();
  ASSERT_TRUE(bench.drain(20'000));
  const double rate = bursts * 32.0 / static_cast<double>(bench.cycles() - begin);
  // Both streams' data go the same way. 16 beats are 19 flits, and the link carries 0.86 a cycle.
  std::cout << "writes and reads of " << rate << " beats a cycle, ideal " << 16.0 / 19 * 7 / 8 * 64 / 65 << "\n";
  EXPECT_GT(rate, 0.6);
  bench.expect_protocol_kept();
}

}  // namespace
}  // namespace tb::blocks::mesh
