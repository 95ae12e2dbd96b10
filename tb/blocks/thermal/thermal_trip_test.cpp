#include <gtest/gtest.h>

#include "tb/blocks/dice.h"
#include "tb/blocks/register_walk.h"
#include "tb/blocks/thermal/thermal_bench.h"

namespace tb::blocks::thermal {
namespace {

class ThermalTrip : public testing::Test {
 protected:
  void SetUp() override {
    bench().start();
    for (unsigned z = 0; z < kZones; ++z) {
      bench().rail(z, true);
      bench().temperature(z, degrees(50));
    }
    samples(5);
  }
  static void samples(int count) {
    for (int i = 0; i < count; ++i) bench().next_sample();
  }
  static bool tripped() { return bench().clock.dut().thermtrip_no == 0; }

  RegisterPort<Vthermal_dut>& registers = bench().registers;
  Dice dice{seed()};
};

TEST_F(ThermalTrip, SnapshotIsOfTheFirst) {
  for (int round = 0; round < 30; ++round) {
    SetUp();
    const unsigned first = dice.below(kZones);
    const unsigned second = (first + 1 + dice.below(kZones - 1)) % kZones;
    const int hot = dice.between(degrees(110), degrees(140));
    bench().temperature(first, hot);
    samples(1);
    EXPECT_FALSE(tripped()) << "one sample of three must not trip";
    bench().temperature(second, hot + 8);
    const auto begin = bench().clock.cycles();
    ASSERT_TRUE(bench().clock.cycle_until([] { return tripped(); }, 2 * kPeriod));
    EXPECT_LE(bench().clock.cycles() - begin, kPeriod);
    samples(3);
    EXPECT_EQ(registers.read("thermal.trip_status.zone"), first);
    EXPECT_EQ(registers.number("thermal.trip_status.temperature"), hot);
    EXPECT_EQ(registers.read("thermal.trip_status.injected"), 0U);
    EXPECT_EQ(registers.read("thermal.trip_count"), 2U);
  }
}

TEST_F(ThermalTrip, TimeIsThatOfTheTrip) {
  bench().clock.reset();
  const auto zero = bench().clock.cycles();
  bench().temperature(0, degrees(120));
  ASSERT_TRUE(bench().clock.cycle_until([] { return tripped(); }, 10 * kPeriod));
  const auto expected = static_cast<double>(bench().clock.cycles() - zero);
  EXPECT_NEAR(registers.read("thermal.trip_time_lo"), expected, 3);
  EXPECT_EQ(registers.read("thermal.trip_time_hi"), 0U);
}

TEST_F(ThermalTrip, ClearsOnlyWhenCool) {
  bench().temperature(1, degrees(111));
  samples(4);
  ASSERT_TRUE(tripped());
  registers.write("thermal.trip_ctrl.clear", 1);
  bench().clock.cycle(2);
  EXPECT_TRUE(tripped());
  EXPECT_EQ(registers.read("thermal.trip_status.clear_refused"), 1U);
  // 100 degC is the trip minus its hysteresis: not yet below.
  bench().temperature(1, degrees(100));
  samples(4);
  registers.write("thermal.trip_ctrl.clear", 1);
  bench().clock.cycle(2);
  EXPECT_TRUE(tripped());
  bench().temperature(1, degrees(100) - 1);
  samples(4);
  EXPECT_TRUE(tripped()) << "a trip must not clear itself";
  registers.write("thermal.trip_status.clear_refused", 1);
  registers.write("thermal.trip_ctrl.clear", 1);
  bench().clock.cycle(2);
  EXPECT_FALSE(tripped());
  EXPECT_EQ(registers.read("thermal.trip_status.clear_refused"), 0U);
}

TEST_F(ThermalTrip, ATripIsClearableOnceItsRailIsOff) {
  bench().temperature(1, degrees(120));
  samples(4);
  ASSERT_TRUE(tripped());
  bench().rail(1, false);
  samples(1);
  registers.write("thermal.trip_ctrl.clear", 1);
  bench().clock.cycle(2);
  EXPECT_FALSE(tripped());
  bench().rail(1, true);
  samples(6);
  EXPECT_TRUE(tripped()) << "still hot";
}

TEST_F(ThermalTrip, InjectionProvesThePinWithoutPower) {
  for (unsigned z = 0; z < kZones; ++z) bench().rail(z, false);
  samples(2);
  for (unsigned z = 0; z < kZones; ++z) {
    const std::string inject = "thermal.inject[" + std::to_string(z) + "]";
    registers.write(inject, 0x80000000U | static_cast<std::uint32_t>(degrees(125)));
    samples(1);
    EXPECT_FALSE(tripped());
    samples(2);
    EXPECT_TRUE(tripped()) << z;
    EXPECT_EQ(registers.read("thermal.trip_status.zone"), z);
    EXPECT_EQ(registers.read("thermal.trip_status.injected"), 1U);
    registers.write(inject, 0);
    samples(1);
    registers.write("thermal.trip_ctrl.clear", 1);
    bench().clock.cycle(2);
    EXPECT_FALSE(tripped()) << z;
  }
}

TEST_F(ThermalTrip, HeatersFollowTripAndValidity) {
  auto& dut = bench().clock.dut();
  registers.write("thermal.heater", 0x8421);
  bench().clock.cycle(2);
  EXPECT_EQ(dut.heater_o, 0x8421U);
  EXPECT_EQ(registers.read("thermal.heater_actual"), 0x8421U);
  bench().rail(2, false);
  bench().clock.cycle(1);
  EXPECT_EQ(dut.heater_o, 0x8021U);
  bench().temperature(1, degrees(-128));
  samples(5);
  EXPECT_EQ(dut.heater_o, 0x8001U);
  registers.write("thermal.inject[1]", 0x80000000U | static_cast<std::uint32_t>(degrees(40)));
  samples(4);
  EXPECT_EQ(dut.heater_o, 0x8001U) << "a test value does not make a sensor valid";
  bench().temperature(0, degrees(115));
  samples(4);
  EXPECT_TRUE(tripped());
  EXPECT_EQ(dut.heater_o, 0U);
}

TEST_F(ThermalTrip, RegistersHoldWhatTheyShould) {
  bench().clock.reset();
  EXPECT_EQ(walk_registers(registers, "thermal", seed()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tb::blocks::thermal
