// The core without a clock, in reset, or losing either at a bad moment: the host port always answers in time, and never
// with old news.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tb/blocks/regs/regs_world.h"

namespace tb::regs {
namespace {

constexpr std::uint64_t default_timeout = 256;
// Synchronisers, the flush and the port's own stages.
constexpr std::uint64_t margin = 16;

class NoCore : public testing::Test {
 protected:
  void SetUp() override { world_.restart(3, 100, 4, 1); }
  std::uint32_t pick(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(world_.random());
  }
  static std::uint32_t rom(const std::string& block, std::uint32_t word) {
    return RegsWorld::base(block) + 0x840 + word * 4;
  }
  void expect_core_answers() {
    for (const std::string block : {"sram", "dma0", "link", "tensor", "dma1", "hbm", "mesh"})
      for (std::uint32_t word = 0; word < 4; ++word) {
        const Answer answer = world_.read(rom(block, word));
        EXPECT_EQ(answer.resp, Resp::Okay) << block;
        EXPECT_EQ(answer.data, 0xd0000000U + word) << block;
      }
  }
  void expect_core_times_out(std::uint64_t timeout) {
    for (const std::string block : {"sram", "dma0", "link", "tensor", "dma1", "hbm", "mesh"}) {
      for (const bool write : {false, true}) {
        const Answer answer = world_.access({write, RegsWorld::base(block), 0x11, 0xf});
        EXPECT_EQ(answer.resp, Resp::SlvErr) << block;
        EXPECT_EQ(answer.data, 0U) << block;
        EXPECT_GE(answer.cycles, timeout) << block;
        EXPECT_LE(answer.cycles, timeout + margin) << block;
      }
    }
    EXPECT_EQ(world_.read(RegsWorld::address("sram_data")).resp, Resp::SlvErr);
  }
  void expect_reference_domain_answers() {
    EXPECT_EQ(world_.write(RegsWorld::address("chip.scratch"), 0x600dcafe).resp, Resp::Okay);
    EXPECT_EQ(world_.read(RegsWorld::address("chip.scratch")).data, 0x600dcafeU);
    EXPECT_EQ(world_.read(rom("power", 3)).data, 0xd0000003U);
  }
  RegsWorld& world_ = RegsWorld::instance();
};

TEST_F(NoCore, WithoutClockAccessesTimeOutAndTheRestWorksOn) {
  expect_core_answers();
  world_.clocks().core_runs = false;
  expect_core_times_out(default_timeout);
  expect_reference_domain_answers();
  world_.clocks().core_runs = true;
  expect_core_answers();
}

TEST_F(NoCore, InResetAccessesTimeOutAndTheRestWorksOn) {
  world_.core_reset(true);
  expect_core_times_out(default_timeout);
  expect_reference_domain_answers();
  world_.core_reset(false);
  expect_core_answers();
}

TEST_F(NoCore, TheTimeoutIsARegisterWithAFloor) {
  world_.clocks().core_runs = false;
  const auto cycles_with = [this](std::uint32_t timeout) {
    world_.write(RegsWorld::address("chip.host_timeout"), timeout);
    expect_core_times_out(timeout < 16 ? 16 : timeout);
    return world_.read(RegsWorld::base("link")).cycles;
  };
  const std::uint64_t floor = cycles_with(16);
  EXPECT_EQ(cycles_with(17), floor + 1);
  EXPECT_EQ(cycles_with(600), floor + 584);
  EXPECT_EQ(cycles_with(3), floor);
}

TEST_F(NoCore, AWriteThatTimedOutWithoutClockNeverHappens) {
  world_.write(RegsWorld::base("dma0") + 0x100, 0x1111);
  world_.clocks().core_runs = false;
  EXPECT_EQ(world_.write(RegsWorld::base("dma0") + 0x100, 0x2222).resp, Resp::SlvErr);
  world_.clocks().core_runs = true;
  world_.ref_cycles(50);
  EXPECT_EQ(world_.read(RegsWorld::base("dma0") + 0x100).data, 0x1111U);
}

TEST_F(NoCore, AResetDuringAnAccessIsSurvived) {
  for (unsigned delay = 0; delay < 40; ++delay) {
    world_.host().issue({false, rom("link", delay % 16), 0, 0xf});
    for (unsigned i = 0; i < delay; ++i) world_.ref_cycles(1);
    world_.core_reset(true);
    world_.ref_cycles(delay % 7);
    world_.core_reset(false);
    ASSERT_TRUE(world_.drain(1000));
    for (const Answer& answer : world_.host().take())
      if (answer.resp == Resp::Okay) {
        EXPECT_EQ(answer.data, 0xd0000000U + delay % 16) << "reset after " << delay << " cycles";
      }
    expect_core_answers();
  }
}

/// Words of a RAM whose writes may be lost: each holds one of a set of values, and reading it settles which.
class Uncertain {
 public:
  void written(std::uint32_t addr, std::uint32_t value, bool sure) {
    auto& values = at(addr);
    if (sure) values.clear();
    values.insert(value);
  }
  bool settle(std::uint32_t addr, std::uint32_t value) {
    auto& values = at(addr);
    if (values.count(value) == 0) return false;
    values = {value};
    return true;
  }

 private:
  std::set<std::uint32_t>& at(std::uint32_t addr) {
    return words_.emplace(addr, std::set<std::uint32_t>{0}).first->second;
  }

  std::map<std::uint32_t, std::set<std::uint32_t>> words_;
};

TEST_F(NoCore, WhateverTheClockDoesNoAnswerIsStale) {
  std::map<Resp, unsigned> seen;
  for (const auto& [ref_every, core_every] : {std::pair{10U, 1U}, std::pair{3U, 2U}, std::pair{1U, 5U}}) {
    world_.restart(4, 80, ref_every, core_every);
    world_.write(RegsWorld::address("chip.host_timeout"), 24);
    Uncertain ram;
    for (unsigned i = 0; i < 3000; ++i) {
      const bool running = world_.clocks().core_runs;
      if (pick(12) == 0) world_.clocks().core_runs = !running;
      const bool write = pick(2) == 0;
      const std::uint32_t word = pick(16);
      const bool from_rom = !write && pick(2) == 0;
      const std::string block = RegsWorld::probes.at(2 + pick(RegsWorld::probes.size() - 2));
      const std::uint32_t addr = from_rom ? rom(block, word) : RegsWorld::base(block) + 0x800 + word * 4;
      const Access access{write, addr, i | 0x5a000000U, 0xf};
      world_.host().issue(access);
      // The clock starts or stops in the middle of some accesses, at any tick.
      if (pick(3) == 0) {
        sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS) * pick(40 * ref_every));
        world_.clocks().core_runs = !world_.clocks().core_runs;
      }
      ASSERT_TRUE(world_.drain(200)) << "the host port hangs";
      for (const Answer& answer : world_.host().take()) {
        ++seen[answer.resp];
        ASSERT_TRUE(answer.resp == Resp::Okay || answer.resp == Resp::SlvErr);
        if (write) {
          ram.written(addr, access.data, answer.resp == Resp::Okay);
        } else if (answer.resp == Resp::Okay && from_rom) {
          ASSERT_EQ(answer.data, 0xd0000000U + word) << "access " << i;
        } else if (answer.resp == Resp::Okay) {
          ASSERT_TRUE(ram.settle(addr, answer.data)) << "access " << i << " read 0x" << std::hex << answer.data;
        }
      }
    }
  }
  EXPECT_GT(seen[Resp::Okay], 1000U);
  EXPECT_GT(seen[Resp::SlvErr], 1000U);
}

}  // namespace
}  // namespace tb::regs
