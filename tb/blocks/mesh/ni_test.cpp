// The network interface, four of them behind their routers: docs/mesh.md, "The network interface".
#include <gtest/gtest.h>

#include <iostream>
#include <vector>

#include "tb/blocks/mesh/ni_bench.h"

namespace tb::blocks::mesh {
namespace {

using golden::axi::Address;
using golden::axi::Response;
using golden::axi::WriteBeat;
using golden::mesh::Port;

std::vector<WriteBeat> beats(unsigned count, std::uint64_t first) {
  std::vector<WriteBeat> out;
  for (unsigned i = 0; i < count; ++i) out.push_back({first + i, 0xFF, i + 1 == count});
  return out;
}

TEST(MeshNi, EachNodeReachesTheMemoryOfEachOther) {
  NiBench& bench = NiBench::instance();
  bench.restart(1);
  for (unsigned from = 0; from < NiBench::nodes; ++from) {
    for (unsigned to = 0; to < NiBench::nodes; ++to) {
      if (from == to) continue;
      for (const std::uint64_t addr : {0x10'0000ULL, 0x1'2345'6780ULL}) {
        const std::uint64_t value = from << 8U | to;
        AxiManagerAgent& manager = bench.manager(from);
        manager.write({3, there(to, addr + 0x100 * from), 15}, beats(16, value), 0);
        ASSERT_TRUE(bench.drain(500));
        EXPECT_EQ(bench.memory(to).read64(addr + 0x100 * from + 8), value + 1);
        manager.read({5, there(to, addr + 0x100 * from), 15}, 0);
        ASSERT_TRUE(bench.drain(500));
        EXPECT_EQ(manager.finished_writes.back().response.resp, Response::okay);
        EXPECT_EQ(manager.finished_reads.back().answers.at(15).data, value + 15);
      }
    }
  }
  bench.expect_protocol_kept();
}

TEST(MeshNi, RandomTrafficIsExact) {
  NiBench& bench = NiBench::instance();
  for (const double eager : {1.0, 0.5}) {
    bench.restart(2);
    for (unsigned n = 0; n < NiBench::nodes; ++n) {
      bench.manager(n).eager = eager;
      if (eager < 1) bench.memory_port(n).manners = {1, 60, 0.5, 0.5, false, false};
    }
    Everyone everyone(bench);
    everyone.run(20'000);
    everyone.settle();
    std::cout << everyone.done() << " accesses\n";
    EXPECT_GT(everyone.done(), 1000U);
    EXPECT_EQ(everyone.failed(), 0U);
    for (const auto event : {NiBench::damaged_request, NiBench::damaged_response, NiBench::stale_read,
                             NiBench::stale_write, NiBench::late_read, NiBench::late_write})
      EXPECT_EQ(bench.events(event), 0U) << event;
  }
}

TEST(MeshNi, BitsThatTurnOnTheWayAreErrorsAndNeverData) {
  NiBench& bench = NiBench::instance();
  bench.restart(3);
  bench.dut().timeout_i = 1500;
  bench.set_flips(300);
  Everyone everyone(bench);
  everyone.run(60'000);
  bench.set_flips(0);
  everyone.settle();
  const unsigned failed = everyone.failed();
  std::cout << everyone.done() << " accesses, " << bench.flips() << " bits turned, " << failed << " errors\n";
  EXPECT_GT(bench.flips(), 50U);
  EXPECT_GT(failed, 20U);
  EXPECT_GT(bench.events(NiBench::damaged_request), 0U);
  EXPECT_GT(bench.events(NiBench::damaged_response), 0U);
  everyone.expect_no_more_failures();
}

TEST(MeshNi, ALinkThatIsCutFailsWhatNeedsItAndNothingElse) {
  NiBench& bench = NiBench::instance();
  bench.restart(4);
  bench.dut().timeout_i = 1000;
  Everyone everyone(bench);
  everyone.run(2000);
  EXPECT_EQ(everyone.failed(), 0U);
  bench.enable_link(0, Port::east, false);
  everyone.run(8000);
  EXPECT_GT(everyone.failed(0), 0U);
  EXPECT_GT(everyone.failed(1), 0U);
  bench.enable_link(0, Port::east, true);
  everyone.settle();
  everyone.expect_no_more_failures();
}

TEST(MeshNi, GoesRoundADeadLinkByTable) {
  NiBench& bench = NiBench::instance();
  bench.restart(5);
  golden::mesh::Topology topology(2, 2);
  topology.fail_link(0, Port::east);
  bench.use_tables(topology, golden::mesh::up_down(topology));
  bench.enable_link(0, Port::east, false);
  Everyone everyone(bench);
  everyone.run(8000);
  everyone.settle();
  EXPECT_GT(everyone.done(), 500U);
  EXPECT_EQ(everyone.failed(), 0U);
}

TEST(MeshNi, ANodeThatDoesNotAnswerHoldsUpOnlyThoseWhoAskIt) {
  NiBench& bench = NiBench::instance();
  bench.restart(6);
  bench.dut().timeout_i = 600;
  bench.memory_port(3).manners.frozen = true;
  for (unsigned i = 0; i < 30; ++i) {
    bench.manager(2).write({1, there(3, 0x10'0000 + 0x80 * i), 15}, beats(16, i), i);
    bench.manager(0).write({1, there(1, 0x10'0000 + 0x80 * i), 15}, beats(16, i), i);
    bench.manager(1).read({1, there(2, 0x10'0000 + 0x80 * i), 15}, i);
  }
  EXPECT_TRUE(bench.block.cycle_until(
      [&] { return bench.manager(0).finished_writes.size() == 30 && bench.manager(1).finished_reads.size() == 30; },
      3000));
  EXPECT_TRUE(bench.drain(60'000));
  EXPECT_EQ(bench.events(2, NiBench::late_write), 30U);
  for (const auto& write : bench.manager(2).finished_writes) EXPECT_EQ(write.response.resp, Response::slverr);
  bench.memory_port(3).manners.frozen = false;
  bench.block.cycle(3000);
  EXPECT_GT(bench.events(2, NiBench::stale_write), 0U) << "answers come at last, and no one waits for them";
  bench.manager(2).finished_writes.clear();
  bench.manager(2).write({1, there(3, 0x10'4000), 3}, beats(4, 77), 0);
  ASSERT_TRUE(bench.drain(500));
  EXPECT_EQ(bench.manager(2).finished_writes.at(0).response.resp, Response::okay);
  EXPECT_EQ(bench.memory(3).read64(0x10'4018), 80U);
  bench.expect_protocol_kept();
}

TEST(MeshNi, ErrorsOfTheOtherNodesBusComeBack) {
  NiBench& bench = NiBench::instance();
  bench.restart(7);
  bench.memory_port(1).error = Response::decerr;
  bench.memory_port(1).read_faults = {0x10'0010};
  bench.memory_port(1).write_faults = {0x10'0010};
  bench.manager(0).write({1, there(1, 0x10'0000), 3}, beats(4, 1), 0);
  bench.manager(0).read({1, there(1, 0x10'0000), 3}, 0);
  ASSERT_TRUE(bench.drain(500));
  EXPECT_EQ(bench.manager(0).finished_writes.at(0).response.resp, Response::decerr);
  for (const auto& beat : bench.manager(0).finished_reads.at(0).answers) EXPECT_EQ(beat.resp, Response::decerr);
  bench.expect_protocol_kept();
}

TEST(MeshNi, WhatItCannotDoEndsWithAnError) {
  NiBench& bench = NiBench::instance();
  bench.restart(8);
  bench.dut().timeout_i = 300;
  AxiManagerAgent& manager = bench.manager(0);
  manager.write({1, there(1, 0x10'0000), 16}, beats(17, 1), 0);
  manager.read({1, there(1, 0x10'0000), 255}, 0);
  ASSERT_TRUE(bench.drain(1000));
  EXPECT_EQ(manager.finished_writes.at(0).response.resp, Response::slverr) << "longer than a packet";
  EXPECT_EQ(manager.finished_reads.at(0).answers.at(255).resp, Response::slverr);
  EXPECT_EQ(bench.events(0, NiBench::refused_write), 1U);
  EXPECT_EQ(bench.events(0, NiBench::refused_read), 1U);
  manager.finished_writes.clear();
  manager.write({1, there(1, 0x10'0000) | std::uint64_t{2} << 36U, 3}, beats(4, 1), 0);  // no such node
  manager.write({1, there(0, 0x10'0000), 3}, beats(4, 1), 1);                            // itself
  ASSERT_TRUE(bench.drain(2000));
  EXPECT_EQ(manager.finished_writes.at(0).response.resp, Response::slverr);
  EXPECT_EQ(manager.finished_writes.at(1).response.resp, Response::okay);
  EXPECT_EQ(bench.events(0, NiBench::late_write), 1U);
  manager.finished_writes.clear();
  bench.dut().enable_i = 0xE;
  manager.write({1, there(1, 0x10'0000), 3}, beats(4, 1), 0);
  ASSERT_TRUE(bench.drain(100));
  EXPECT_EQ(manager.finished_writes.at(0).response.resp, Response::slverr) << "off";
  bench.expect_protocol_kept();
}

TEST(MeshNi, KeepsAStreamOfBurstsRunning) {
  NiBench& bench = NiBench::instance();
  bench.restart(9);
  constexpr unsigned bursts = 64;
  for (unsigned i = 0; i < bursts; ++i) {
    const auto id = static_cast<std::uint8_t>(i % 4);
    bench.manager(0).write({id, there(3, 0x10'0000 + 0x80 * i), 15}, beats(16, i), i);
    bench.manager(3).read({id, there(0, 0x10'0000 + 0x80 * i), 15}, i);
  }
  const std::uint64_t begin = bench.block.cycles();
  ASSERT_TRUE(bench.drain(20'000));
  const double rate = bursts * 16.0 / static_cast<double>(bench.block.cycles() - begin);
  // Both streams' data go the same way. 16 beats are 18 flits.
  std::cout << "writes and reads of " << rate << " beats a cycle each, ideal 0.444\n";
  EXPECT_GT(rate, 0.35);
  bench.expect_protocol_kept();
}

}  // namespace
}  // namespace tb::blocks::mesh
