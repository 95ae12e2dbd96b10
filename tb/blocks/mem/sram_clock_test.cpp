// The block's own clock: it stands still when nothing is to do, and no one can tell, because whatever asks something of
// the memory takes as long as if it had never stopped.
#include <gtest/gtest.h>

#include <optional>

#include "tb/blocks/mem/mem_bench.h"

namespace tb::blocks::mem {
namespace {

constexpr unsigned kRest = 64;            // cycles from the last work to the clock's last edge, about
constexpr unsigned kPhases = kRest + 10;  // of a stimulus: from the last work to well after the stop

class SramClock : public testing::Test {
 protected:
  void SetUp() override { b.start(); }

  bool runs() { return b.clock.dut().clock_on_o != 0; }
  void sleep() {
    ASSERT_TRUE(b.clock.cycle_until([this] { return !runs(); }, 2 * kRest)) << "the clock goes on";
  }
  /// What `act` does takes as many cycles at whatever time after the last work.
  template <class Act>
  void expect_same_in_every_phase(Act act) {
    std::optional<std::uint64_t> usual;
    for (unsigned phase = 0; phase < kPhases; ++phase) {
      SCOPED_TRACE(phase);
      b.registers.read("sram.status");
      b.clock.cycle(phase);
      const std::uint64_t begin = b.clock.cycles();
      act();
      const std::uint64_t took = b.clock.cycles() - begin;
      if (!usual) usual = took;
      ASSERT_EQ(took, *usual);
    }
    sleep();
  }

  MemBench& b = bench();
};

TEST_F(SramClock, StandsStillWhenNothingIsToDo) {
  sleep();
  for (unsigned i = 0; i < 1000; ++i) {
    b.clock.cycle();
    ASSERT_FALSE(runs());
  }
}

TEST_F(SramClock, AccessesTakeAsLongInEveryPhase) {
  std::uint32_t value = 0;
  expect_same_in_every_phase([&] {
    b.registers.write("sram.fill_data[0]", ++value);
    ASSERT_EQ(b.registers.read("sram.fill_data[0]"), value);
  });
  expect_same_in_every_phase([&] {
    ASSERT_FALSE(b.window.write(0x40, ++value));
    ASSERT_EQ(b.window.read(0x40).data, value);
  });
  expect_same_in_every_phase([&] {
    b.axi.run({true, 3, 100, {{++value, 0xff, 0}, {~value, 0xff, 0}}, 0});
    const AxiBurst read = b.axi.run({false, 5, 100, std::vector<AxiBeat>(2), 0});
    ASSERT_EQ(read.beats[0].data, value);
    ASSERT_EQ(read.beats[1].data, std::uint64_t{~value});
  });
}

/// Injected errors strike the access they are meant for, and their interrupt outlives the clock.
TEST_F(SramClock, InjectionHitsInEveryPhase) {
  b.registers.write("sram.irq_enable", 2);
  b.registers.write("sram.inject_mask[0]", 1);
  b.registers.write("sram.inject_match", 0);
  for (unsigned phase = 0; phase < kPhases; ++phase) {
    SCOPED_TRACE(phase);
    b.registers.write("sram.inject_arm", 1);
    b.clock.cycle(phase);
    b.window.write(0x80, phase);
    ASSERT_EQ(b.registers.read("sram.inject_left"), 0U);
    b.clock.cycle(phase);
    ASSERT_EQ(b.window.read(0x80).data, phase) << "corrected";
    b.clock.cycle(2 * kRest);
    ASSERT_EQ(b.clock.dut().irq_o, 1U);
    b.registers.write("sram.irq_status", 2);
    ASSERT_EQ(b.clock.dut().irq_o, 0U);
  }
}

TEST_F(SramClock, FillAndTestKeepIt) {
  for (const char* command : {"sram.fill", "sram.mbist"}) {
    b.registers.write("sram.mbist.backgrounds", 1);
    b.registers.write(std::string(command) + ".start", 1);
    for (unsigned i = 0; i < 8000; ++i) {
      ASSERT_TRUE(runs()) << command << " in cycle " << i;
      b.clock.cycle();
    }
    ASSERT_TRUE(b.clock.cycle_until([this] { return !runs(); }, 1'000'000));
    EXPECT_EQ(b.registers.read("sram.status"), 0U);
  }
}

}  // namespace
}  // namespace tb::blocks::mem
