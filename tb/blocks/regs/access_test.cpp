// Random traffic on the host port against the model of what each access means, and the meetings of host and hardware in
// one field.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "lab/core/register_map.h"
#include "tb/blocks/regs/regs_world.h"

namespace tb::regs {
namespace {

struct Speed {
  const char* name;
  unsigned eagerness, ref_every, core_every;
};

std::string show(const Access& a) {
  testing::Message text;
  text << (a.write ? "write" : "read") << " 0x" << std::hex << a.addr << " data 0x" << a.data << " strb 0x"
       << unsigned{a.strb};
  return text.GetString();
}

class RandomTraffic : public testing::TestWithParam<Speed> {
 protected:
  RegsWorld& world_ = RegsWorld::instance();

  std::uint32_t pick(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(world_.random());
  }

  std::uint32_t random_address() {
    const std::uint32_t byte = pick(8) == 0 ? pick(4) : 0;
    switch (pick(12)) {
      case 0:
        return RegsWorld::address("chip.scratch") + byte;
      case 1:
        return RegsWorld::address(pick(2) ? "chip.id" : "chip.version") + byte;
      case 2:
        return RegsWorld::address("sram_data") + pick(4) * 0x4000 + pick(16) * 4 + byte;
      case 3:
        return 0x800000U + pick(0x800000);  // no one's
      case 4:
        return 0x003000U + pick(0xd000);  // between the blocks
      default:
        break;
    }
    const std::uint32_t base = RegsWorld::base(RegsWorld::probes.at(pick(RegsWorld::probes.size())));
    static constexpr std::uint32_t offsets[] = {0x0,   0x4,   0x8,   0xc,   0x10,  0x14,  0x18,
                                                0x1c,  0x20,  0x100, 0x104, 0x108, 0x10c, 0x110,
                                                0x114, 0x118, 0x11c, 0x120, 0x7fc, 0x880, 0xffc};
    if (pick(3) == 0) return base + pick(6) * 4 + byte;  // one of each kind
    if (pick(4) == 0) return base + 0x800 + pick(32) * 4 + byte;
    return base + offsets[pick(std::size(offsets))] + byte;
  }

  Access random_access() {
    Access a;
    a.write = pick(2) == 0;
    a.addr = random_address();
    a.data = static_cast<std::uint32_t>(world_.random()());
    a.strb = pick(3) == 0 ? static_cast<std::uint8_t>(pick(16)) : std::uint8_t{0xf};
    return a;
  }

  /// A read and a write that are under way together have no order, so they must not meet in one word.
  bool races(const Access& a) const {
    const auto same = [&a](const Access& b) { return (a.addr >> 2) == (b.addr >> 2); };
    const auto& others = a.write ? world_.host().open_reads() : world_.host().open_writes();
    return std::any_of(others.begin(), others.end(), same);
  }

  void check_answers() {
    for (const Answer& answer : world_.host().take()) {
      const auto expected = world_.expect(answer.access);
      ASSERT_EQ(static_cast<int>(answer.resp), static_cast<int>(expected.resp)) << show(answer.access);
      if (expected.data) {
        ASSERT_EQ(answer.data, *expected.data) << show(answer.access);
      }
      ++checked_;
    }
  }

  unsigned checked_ = 0;
};

TEST_P(RandomTraffic, EveryAnswerIsWhatTheDescriptionSays) {
  const Speed& speed = GetParam();
  world_.restart(100 * speed.ref_every + speed.eagerness, speed.eagerness, speed.ref_every, speed.core_every);
  constexpr unsigned count = 10000;
  Access next = random_access();
  for (unsigned issued = 0; issued < count;) {
    AxilHost& host = world_.host();
    while (issued < count && host.open_writes().size() < 3 && host.open_reads().size() < 3 && !races(next)) {
      host.issue(next);
      next = random_access();
      ++issued;
    }
    world_.ref_cycles(1);
    check_answers();
    if (HasFatalFailure()) return;
  }
  ASSERT_TRUE(world_.drain(5000)) << "the host port hangs";
  check_answers();
  EXPECT_EQ(checked_, count);
  for (unsigned i = 0; i < RegsWorld::probes.size(); ++i) {
    const RegisterModel& model = world_.probe(i);
    const std::uint32_t pulses = model.pulses("command", "go") + model.pulses("mixed", "kick");
    EXPECT_EQ(world_.dut().pulses_o[i], pulses & 0xff) << RegsWorld::probes.at(i);
    EXPECT_EQ(world_.dut().argument_o[i], model.last_pulse("command", "argument"));
    EXPECT_GT(pulses, 5U) << "the traffic does not reach what it should";
  }
}

INSTANTIATE_TEST_SUITE_P(Speeds, RandomTraffic,
                         testing::Values(Speed{"FastHostFastCore", 100, 10, 1}, Speed{"SlowHostFastCore", 30, 10, 1},
                                         Speed{"SameClock", 70, 1, 1}, Speed{"OddRatio", 60, 7, 3},
                                         Speed{"SlowCore", 100, 3, 7}),
                         [](const auto& p) { return std::string(p.param.name); });

class HostAndHardware : public testing::Test {
 protected:
  void SetUp() override { world_.restart(2, 100, 4, 1); }
  std::uint32_t at(const std::string& block, std::uint32_t offset) const { return RegsWorld::base(block) + offset; }
  RegsWorld& world_ = RegsWorld::instance();
};

TEST_F(HostAndHardware, AfterResetEveryRegisterReadsItsResetValue) {
  for (unsigned i = 0; i < RegsWorld::probes.size(); ++i)
    for (std::uint32_t offset = 0; offset < 0x120; offset += 4) {
      const Access a{false, at(RegsWorld::probes.at(i), offset), 0, 0xf};
      const Answer answer = world_.access(a);
      const auto expected = world_.expect(a);
      EXPECT_EQ(static_cast<int>(answer.resp), static_cast<int>(expected.resp)) << show(a);
      if (expected.data) {
        EXPECT_EQ(answer.data, *expected.data) << show(a);
      }
    }
}

/// Hardware acts for one cycle, at every distance from the host's write, so also in the very cycle of the write.
class Collision : public HostAndHardware {
 protected:
  static constexpr unsigned last = 24;

  /// Issues a write to the power probe and calls `hardware(true)` for the `when`-th cycle after it. Answers the cycle
  /// of the write, which the probe's pulse counter shows one cycle later, when the write makes a pulse.
  template <class Hardware>
  unsigned write_with(std::uint32_t offset, std::uint32_t data, unsigned when, Hardware hardware) {
    world_.restart(2, 100, 1, 1);
    const std::uint8_t pulses = world_.dut().pulses_o[0];
    unsigned write_cycle = last;
    world_.host().issue({true, at("power", offset), data, 0xf});
    for (unsigned cycle = 0; cycle < last; ++cycle) {
      hardware(cycle == when);
      world_.ref_cycles(1);
      if (write_cycle == last && world_.dut().pulses_o[0] != pulses) write_cycle = cycle - 1;
    }
    hardware(false);
    EXPECT_TRUE(world_.drain(10));
    world_.host().take();
    return write_cycle;
  }

  /// When the host port makes a write, which is the same for every register of a block.
  unsigned cycle_of_write() {
    return write_with(0x14, 0x200, last, [](bool) {});
  }
};

TEST_F(Collision, ASetWinsOverAClear) {
  const unsigned write = cycle_of_write();
  ASSERT_LT(write, last);
  for (unsigned when = 1; when < last; ++when) {
    write_with(0x8, 0xffffffff, when, [this](bool on) { world_.dut().set_i = on ? 0x03 : 0; });
    EXPECT_EQ(world_.read(at("power", 0x8)).data, when >= write ? 0x41U : 0U)
        << "set in cycle " << when << ", cleared in " << write;
  }
}

TEST_F(Collision, ALoadWinsOverAWrite) {
  const unsigned write = cycle_of_write();
  world_.dut().load_value_i = 0x4321;
  for (unsigned when = 1; when < last; ++when) {
    write_with(0x10, 0x1111, when, [this](bool on) { world_.dut().load_i = on; });
    EXPECT_EQ(world_.read(at("power", 0x10)).data, when >= write ? 0x4321U : 0x1111U)
        << "loaded in cycle " << when << ", written in " << write;
  }
}

TEST_F(HostAndHardware, StickyBitsStayUntilTheirOneIsWritten) {
  for (const std::string block : RegsWorld::probes) {
    world_.write(at(block, 0x8), 0xffffffff);
    world_.dut().set_i = 0x03;
    world_.ref_cycles(2);
    world_.dut().set_i = 0;
    world_.ref_cycles(2);
    EXPECT_EQ(world_.read(at(block, 0x8)).data, 0x41U) << block;
    world_.write(at(block, 0x8), 0x1);
    EXPECT_EQ(world_.read(at(block, 0x8)).data, 0x40U) << block;
    world_.write(at(block, 0x8), 0x40);
    EXPECT_EQ(world_.read(at(block, 0x8)).data, 0U) << block;
  }
}

}  // namespace
}  // namespace tb::regs
