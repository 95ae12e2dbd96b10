#include <gtest/gtest.h>

#include "tb/blocks/dice.h"
#include "tb/blocks/thermal/thermal_bench.h"

namespace tb::blocks::thermal {
namespace {

/// Counts what the throttle pin does, cycle by cycle.
class PinCounter : public Agent {
 public:
  void sample() override {
    const bool now = bench().clock.dut().throttle_o != 0;
    cycles += now;
    events += now && !before_;
    length_ = now ? length_ + 1 : 0;
    if (!now && before_) shortest = std::min(shortest, last_length_);
    last_length_ = length_;
    before_ = now;
  }
  void drive() override {}
  void restart() {
    cycles = events = length_ = last_length_ = 0;
    shortest = ~std::uint64_t{0};
  }

  std::uint64_t cycles = 0;
  std::uint64_t events = 0;
  std::uint64_t shortest = ~std::uint64_t{0};

 private:
  bool before_ = false;
  std::uint64_t length_ = 0;
  std::uint64_t last_length_ = 0;
};

PinCounter& counter() {
  static PinCounter the_counter;
  static const bool added = (bench().clock.add(the_counter), true);
  (void)added;
  return the_counter;
}

class ThermalThrottle : public testing::Test {
 protected:
  void SetUp() override { bench().start(); }

  RegisterPort<Vthermal_dut>& registers = bench().registers;
  Dice dice{seed()};
};

TEST_F(ThermalThrottle, CountersFollowThePin) {
  auto& pin = counter();
  registers.write("thermal.throttle.dwell", 20);
  registers.write("thermal.throttle.clear", 1);
  pin.restart();
  for (int i = 0; i < 200; ++i) {
    registers.write("thermal.throttle.software", 1);
    bench().clock.cycle(dice.below(40));
    registers.write("thermal.throttle.software", 0);
    bench().clock.cycle(dice.below(80));
  }
  ASSERT_TRUE(bench().clock.cycle_until([] { return !bench().clock.dut().throttle_o; }, 100));
  bench().clock.cycle(3);
  EXPECT_EQ(registers.read("thermal.throttle_cycles"), pin.cycles);
  EXPECT_EQ(registers.read("thermal.throttle_events"), pin.events);
  EXPECT_GE(pin.shortest, 20U);
  EXPECT_EQ(registers.read("thermal.throttle_reason.seen_software"), 1U);
}

TEST_F(ThermalThrottle, DutyIsOfTheLastWindow) {
  registers.write("thermal.throttle.dwell", 0);
  registers.write("thermal.throttle.software", 1);
  registers.write("thermal.throttle.clear", 1);
  bench().clock.cycle(4200);
  EXPECT_EQ(registers.read("thermal.duty.windows"), 1U);
  EXPECT_EQ(registers.read("thermal.duty.cycles"), 4096U);
  registers.write("thermal.throttle.software", 0);
  bench().clock.cycle(4096);
  const auto part = registers.read("thermal.duty.cycles");
  EXPECT_GT(part, 100U);
  EXPECT_LT(part, 130U);
  bench().clock.cycle(4096);
  EXPECT_EQ(registers.read("thermal.duty.cycles"), 0U);
  EXPECT_EQ(registers.read("thermal.duty.windows"), 3U);
}

TEST_F(ThermalThrottle, DwellIsTold) {
  registers.write("thermal.throttle.dwell", 500);
  registers.write("thermal.throttle.software", 1);
  registers.write("thermal.throttle.software", 0);
  EXPECT_EQ(registers.read("thermal.throttle_reason.dwell"), 1U);
  EXPECT_EQ(registers.read("thermal.throttle_reason.active"), 1U);
  bench().clock.cycle(500);
  EXPECT_EQ(registers.read("thermal.throttle_reason.active"), 0U);
}

TEST_F(ThermalThrottle, OnlyEnabledZonesThrottle) {
  registers.write("thermal.throttle.zones", 0x4);
  registers.write("thermal.throttle.dwell", 0);
  for (const unsigned zone : {1U, 2U}) {
    bench().rail(zone, true);
    bench().temperature(zone, degrees(100));
    for (int i = 0; i < 6; ++i) bench().next_sample();
    EXPECT_FALSE(bench().clock.dut().alert_no);
    EXPECT_EQ(bench().clock.dut().throttle_o != 0, zone == 2);
  }
  EXPECT_EQ(registers.read("thermal.throttle_reason.zones"), 0x4U);
  EXPECT_EQ(registers.read("thermal.throttle_reason.seen_zones"), 0x4U);
  EXPECT_EQ(registers.read("thermal.irq_status.alarm"), 0x6U);
  registers.write("thermal.irq_enable.throttle", 1);
  EXPECT_TRUE(bench().clock.dut().irq_o);
}

}  // namespace
}  // namespace tb::blocks::thermal
