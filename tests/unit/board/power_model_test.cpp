#include "tb/board/power_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tb::board {
namespace {

using firstlight::Frequency;
using firstlight::Temperature;

double watts(const PowerModel& model, std::size_t rail, const Operation& operation) {
  return model.load(rail, operation).siemens * std::pow(operation.voltage.base(), 2);
}

Operation at_nominal(const PowerModel& model, std::size_t rail, double activity = 0) {
  Operation operation;
  operation.voltage = model.consumer(rail).nominal;
  operation.temperature = Temperature(50);
  operation.core_clock = Frequency(1e9);
  operation.activity = activity;
  return operation;
}

TEST(PowerModel, IdleAndBusyTotals) {
  const PowerModel model;
  double idle = 0;
  double busy = 0;
  for (std::size_t rail = 0; rail < kRails; ++rail) {
    idle += watts(model, rail, at_nominal(model, rail));
    busy += watts(model, rail, at_nominal(model, rail, 1));
  }
  EXPECT_NEAR(idle, 25, 2);
  EXPECT_NEAR(busy, 50, 3);
}

TEST(PowerModel, SwitchingGoesWithClockAndVoltageSquared) {
  const PowerModel model;
  Operation operation = at_nominal(model, kCore, 0.5);
  const double full = watts(model, kCore, operation);
  operation.core_clock = Frequency(0);
  const double stopped = watts(model, kCore, operation);
  EXPECT_NEAR(full - stopped, 6 + 7, 1e-9);
  operation.core_clock = Frequency(0.5e9);
  EXPECT_NEAR(watts(model, kCore, operation) - stopped, 6.5, 1e-9);
  Operation low = at_nominal(model, kCore, 0.5);
  low.voltage = low.voltage * 0.9;
  Operation low_stopped = low;
  low_stopped.core_clock = Frequency(0);
  EXPECT_NEAR(watts(model, kCore, low) - watts(model, kCore, low_stopped), 13 * 0.81, 1e-9);
}

TEST(PowerModel, LeakageGrowsWithTemperatureAndVoltageCubed) {
  const PowerModel model;
  Operation operation = at_nominal(model, kCore);
  operation.core_clock = Frequency(0);
  EXPECT_NEAR(watts(model, kCore, operation), 2.5, 1e-9);
  operation.temperature = Temperature(85);
  EXPECT_NEAR(watts(model, kCore, operation), 2.5 * std::exp(1.0), 1e-9);
  operation.temperature = Temperature(50);
  operation.voltage = operation.voltage * 1.1;
  EXPECT_NEAR(watts(model, kCore, operation), 2.5 * std::pow(1.1, 3), 1e-9);
}

TEST(PowerModel, HeatersAreOneWattAStep) {
  const PowerModel model;
  for (std::size_t rail = 1; rail < kRails; ++rail) {
    Operation operation = at_nominal(model, rail);
    const double before = watts(model, rail, operation);
    operation.heater = 15;
    EXPECT_NEAR(watts(model, rail, operation) - before, 15, 1e-9);
  }
}

}  // namespace
}  // namespace tb::board
