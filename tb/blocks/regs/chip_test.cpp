// The chip block as the host sees it: straps, time, interrupts, and the record of accesses that went wrong.
#include <gtest/gtest.h>

#include <string>

#include "rtl/regs/tern_registers.h"
#include "tb/blocks/regs/regs_world.h"

namespace tb::regs {
namespace {

class ChipBlock : public testing::Test {
 protected:
  void SetUp() override { world_.restart(5, 100, 2, 1); }
  std::uint32_t value(const std::string& name) { return world_.read(RegsWorld::address(name)).data; }
  void put(const std::string& name, std::uint32_t value) { world_.write(RegsWorld::address(name), value); }
  RegsWorld& world_ = RegsWorld::instance();
};

TEST_F(ChipBlock, SaysWhoItIs) {
  EXPECT_EQ(value("chip.id"), 0xf1a57e51U);
  EXPECT_EQ(value("chip.version"), 0x0a000100U);
  // 5 rails, 4 zones, 4 lanes of 16 bits, 64 KiB, 8 bytes.
  EXPECT_EQ(value("chip.build"), 5U | 4U << 4 | 4U << 8 | 16U << 12 | 16U << 18 | 3U << 24);
}

TEST_F(ChipBlock, KeepsTheStrapsOfPowerOn) {
  world_.ref_cycles(10);
  const std::uint32_t straps = world_.dut().straps_i;
  EXPECT_EQ(value("chip.straps"), 0x100U | straps);
  world_.dut().straps_i = static_cast<std::uint8_t>(~straps);
  world_.ref_cycles(10);
  EXPECT_EQ(value("chip.straps"), 0x100U | straps);
}

TEST_F(ChipBlock, CountsReferenceCycles) {
  const std::uint32_t before = value("chip.ticks_lo");
  EXPECT_EQ(value("chip.ticks_hi"), 0U);
  world_.ref_cycles(1000);
  const std::uint32_t passed = value("chip.ticks_lo") - before;
  EXPECT_GE(passed, 1000U);
  EXPECT_LE(passed, 1020U);
}

TEST_F(ChipBlock, SaysWhichClocksRun) {
  const char* const names[] = {"sram", "dma0", "dma1", "tensor", "hbm", "mesh"};
  for (unsigned clock = 0; clock < 6; ++clock) {
    world_.dut().clocks_i = static_cast<std::uint8_t>(1U << clock);
    const auto* field = firstlight::tern_registers().find(std::string("chip.clocks.") + names[clock]).found->field;
    EXPECT_EQ(value("chip.clocks"), field->register_mask()) << names[clock];
  }
}

TEST_F(ChipBlock, GathersInterruptsUnderAMask) {
  EXPECT_EQ(world_.dut().irq_o, 0);
  for (unsigned source = 0; source < RegsWorld::probes.size(); ++source) {
    world_.dut().irq_i = static_cast<std::uint16_t>(1U << source);
    const std::string bit = std::string("chip.irq_status.") + RegsWorld::probes.at(source);
    const std::uint32_t mask = firstlight::tern_registers().find(bit).found->field->register_mask();
    EXPECT_EQ(value("chip.irq_status"), mask) << bit;
    put("chip.irq_mask", 0x3ffU & ~mask);
    world_.ref_cycles(2);
    EXPECT_EQ(world_.dut().irq_o, 0) << "source " << source;
    put("chip.irq_mask", mask);
    world_.ref_cycles(2);
    EXPECT_EQ(world_.dut().irq_o, 1) << "source " << source;
    world_.dut().irq_i = 0;
    world_.ref_cycles(2);
    EXPECT_EQ(world_.dut().irq_o, 0) << "source " << source;
  }
}

TEST_F(ChipBlock, RecordsTheFirstAccessThatWentWrong) {
  EXPECT_EQ(value("chip.host_errors"), 0U);
  EXPECT_EQ(world_.write(0x345678, 1).resp, Resp::DecErr);
  EXPECT_EQ(value("chip.host_errors"), 2U) << "unmapped";
  EXPECT_EQ(value("chip.host_error_addr"), 0x80345678U);
  EXPECT_EQ(world_.write(RegsWorld::address("chip.id"), 1).resp, Resp::SlvErr);
  EXPECT_EQ(value("chip.host_errors"), 6U) << "unmapped and refused";
  EXPECT_EQ(value("chip.host_error_addr"), 0x80345678U) << "the first one stays";
  put("chip.host_errors", 6);
  EXPECT_EQ(value("chip.host_errors"), 0U);
  world_.clocks().core_runs = false;
  put("chip.irq_mask", 0x20);
  EXPECT_EQ(world_.read(RegsWorld::base("link") + 0x18).resp, Resp::SlvErr);
  EXPECT_EQ(value("chip.host_errors"), 1U) << "timed out, which is not refused";
  EXPECT_EQ(value("chip.host_error_addr"), RegsWorld::base("link") + 0x18);
  EXPECT_EQ(value("chip.irq_status"), 0x20U);
  EXPECT_EQ(world_.dut().irq_o, 1);
}

}  // namespace
}  // namespace tb::regs
