#include "tb/board/thermal_plant.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tb/board/sensors.h"

namespace tb::board {
namespace {

using firstlight::Flow;
using firstlight::Power;
using firstlight::Temperature;

ZonePowers powers(double a, double b, double c, double d) { return {Power(a), Power(b), Power(c), Power(d)}; }

void run(ThermalPlant& plant, double seconds, const ZonePowers& load, double step = 0.01) {
  for (int i = 0; i < static_cast<int>(std::lround(seconds / step)); ++i) plant.advance(step, load);
}

struct PlantTest : ::testing::Test {
  ThermalParameters parameters;
  ThermalPlant plant{parameters};
};

TEST_F(PlantTest, StaysAtTheAirsTemperatureWithoutPower) {
  run(plant, 100, powers(0, 0, 0, 0), 1);
  for (std::size_t zone = 0; zone < kZones; ++zone) EXPECT_NEAR(plant.zone(zone).base(), 28, 1e-9);
}

TEST_F(PlantTest, SteadyStateIsTheSumOfTheResistances) {
  plant.set_supply(Temperature(30), Flow(2), true);
  const ZonePowers load = powers(20, 7, 11, 9);
  run(plant, 60, load);
  const double total = 20 + 7 + 11 + 9;
  // By hand: the plate feeds the coolant through film and half the coolant's warming, and the air beside it.
  const double per_kelvin = 4100 * 2.0 / 60;
  const double to_inlet = 1 / (0.030 + 0.5 / per_kelvin);
  const double to_air = 1 / 4.0;
  const double plate = (total + to_inlet * 30 + to_air * 28) / (to_inlet + to_air);
  EXPECT_NEAR(plant.plate().base(), plate, 1e-6);
  for (std::size_t zone = 0; zone < kZones; ++zone)
    EXPECT_NEAR(plant.zone(zone).base(), plate + load[zone].base() * parameters.die_to_plate[zone].base(), 1e-6);
  EXPECT_NEAR(plant.outlet().base() - 30, to_inlet * (plate - 30) / per_kelvin, 1e-6);
  EXPECT_NEAR(plant.heat_out().base(), total, 1e-6);
}

TEST_F(PlantTest, EnergyIsKept) {
  plant.set_supply(Temperature(28), Flow(2), true);
  run(plant, 20, powers(0, 0, 0, 0));  // flow and inlet settle
  const ZonePowers load = powers(30, 5, 12, 8);
  const double before = plant.stored_joule();
  double out = 0;
  const double step = 1e-3;
  for (int i = 0; i < 2000; ++i) {
    const double left = plant.heat_out().base();
    plant.advance(step, load);
    out += step * (left + plant.heat_out().base()) / 2;
  }
  EXPECT_NEAR(plant.stored_joule() - before, 2 * 55 - out, 1e-3);
}

TEST_F(PlantTest, StepsOfAnyLengthAgree) {
  ThermalPlant fine(parameters);
  ThermalPlant coarse(parameters);
  for (ThermalPlant* p : {&fine, &coarse}) {
    p->set_supply(Temperature(30), Flow(2), true);
    run(*p, 20, powers(0, 0, 0, 0));
  }
  const ZonePowers load = powers(25, 10, 10, 10);
  run(fine, 1, load, 1e-3);
  run(coarse, 1, load, 0.25);
  for (std::size_t zone = 0; zone < kZones; ++zone) EXPECT_NEAR(fine.zone(zone).base(), coarse.zone(zone).base(), 1e-8);
}

TEST_F(PlantTest, ASingleZoneFollowsItsExponential) {
  parameters.plate_joule_per_kelvin = 1e12;  // a plate that stays
  ThermalPlant stiff(parameters);
  stiff.advance(0.1, powers(10, 0, 0, 0));
  const double tau = 0.40 * parameters.die_joule_per_kelvin[0];
  EXPECT_NEAR(stiff.zone(0).base(), 28 + 4 * (1 - std::exp(-0.1 / tau)), 1e-6);
}

TEST_F(PlantTest, WithoutFlowThePlateHeats) {
  run(plant, 10, powers(10, 5, 5, 5), 0.1);
  // 25 W into plate and dies, hardly anything to the air.
  EXPECT_NEAR(plant.plate().base(), 28 + 250 / 34.5, 0.6);
  EXPECT_DOUBLE_EQ(plant.flow().base(), 0);
  EXPECT_DOUBLE_EQ(plant.pressure_pascal(), 0);
}

TEST_F(PlantTest, LessFlowCoolsLess) {
  const auto settled = [&](double flow) {
    ThermalPlant p(parameters);
    p.set_supply(Temperature(30), Flow(flow), true);
    run(p, 60, powers(20, 10, 10, 10), 0.05);
    return p.plate().base();
  };
  EXPECT_GT(settled(0.8), settled(2.0) + 1);
}

TEST_F(PlantTest, FlowAndInletFollowWithTheirLags) {
  plant.set_supply(Temperature(40), Flow(2), true);
  run(plant, 0.2, powers(0, 0, 0, 0));
  EXPECT_NEAR(plant.flow().base(), 2 * (1 - std::exp(-1.0)), 1e-6);
  EXPECT_NEAR(plant.inlet().base(), 28 + 12 * (1 - std::exp(-0.2 / 0.3)), 1e-6);
  EXPECT_TRUE(plant.flow_moves());
  run(plant, 5, powers(0, 0, 0, 0));
  EXPECT_FALSE(plant.flow_moves());
  EXPECT_NEAR(plant.pressure_pascal(), 20e3, 1);
}

TEST_F(PlantTest, Faults) {
  const ZonePowers load = powers(10, 10, 10, 10);
  ThermalFaults faults;
  faults.resistance_scale[3] = 2.5;
  plant.set_faults(faults);
  plant.set_supply(Temperature(30), Flow(2), true);
  run(plant, 60, load, 0.05);
  EXPECT_NEAR((plant.zone(3) - plant.plate()).base(), 10 * 0.5 * 2.5, 1e-6);
  EXPECT_NEAR((plant.zone(0) - plant.plate()).base(), 10 * 0.4, 1e-6);

  faults = {};
  faults.inlet_offset_kelvin = 18;
  plant.set_faults(faults);
  run(plant, 60, load, 0.05);
  EXPECT_NEAR(plant.inlet().base(), 48, 1e-6);

  faults = {};
  faults.leak = true;
  plant.set_faults(faults);
  run(plant, 10, load, 0.05);
  EXPECT_TRUE(plant.leak());
  EXPECT_LT(plant.flow().base(), 1.8);

  faults = {};
  faults.flow_scale = 0;
  plant.set_faults(faults);
  run(plant, 10, load, 0.05);
  EXPECT_DOUBLE_EQ(plant.flow().base(), 0);
}

TEST(Sensors, QuantiseWithTheirOffsetAndNoise) {
  ZoneSensors sensors(7);
  for (std::size_t zone = 0; zone < kZones; ++zone) {
    double sum = 0;
    double square = 0;
    constexpr int kReadings = 4000;
    for (int i = 0; i < kReadings; ++i) {
      const double error = sensors.convert(zone, Temperature(45.03)) * 0.125 - 45.03;
      sum += error;
      square += error * error;
    }
    const double mean = sum / kReadings;
    EXPECT_LE(std::abs(sensors.offset_kelvin(zone)), 0.5);
    EXPECT_NEAR(mean, sensors.offset_kelvin(zone), 0.02);
    EXPECT_NEAR(std::sqrt(square / kReadings - mean * mean), std::hypot(0.05, 0.125 / std::sqrt(12.0)), 0.015);
  }
}

TEST(Sensors, SaturateAtTwelveBits) {
  ZoneSensors sensors(1);
  EXPECT_EQ(sensors.convert(0, Temperature(1000)), 2047);
  EXPECT_EQ(sensors.convert(0, Temperature(-1000)), -2048);
}

TEST(Sensors, Faults) {
  ZoneSensors sensors(1);
  SensorFaults faults;
  faults.stuck = 0;
  faults.sentinel = 2;
  sensors.set_faults(faults);
  const auto first = sensors.convert(0, Temperature(28));
  EXPECT_EQ(sensors.convert(0, Temperature(60)), first);
  EXPECT_EQ(sensors.convert(2, Temperature(60)), -1024);
  EXPECT_NEAR(sensors.convert(1, Temperature(60)) * 0.125, 60, 1);
}

}  // namespace
}  // namespace tb::board
