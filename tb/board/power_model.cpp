#include "tb/board/power_model.h"

#include <algorithm>
#include <cmath>

namespace tb::board {

using firstlight::Power;
using firstlight::Voltage;

namespace {
constexpr double kReferenceTemperature = 50;  // degC
constexpr double kLeakageKelvin = 35;         // for a factor of e
constexpr double kHottest = 200;              // degC; beyond it the exponential means nothing
constexpr double kReferenceClock = 1e9;       // Hz
constexpr double kHeaterStep = 1;             // W
}  // namespace

PowerModel::PowerModel()
    : consumers_{{{Voltage(1.80), Power(1.0), Power(0.2), Power(0), Power(0)},
                  {Voltage(0.85), Power(0), Power(2.5), Power(6.0), Power(14.0)},
                  {Voltage(0.90), Power(0), Power(1.5), Power(1.5), Power(4.0)},
                  {Voltage(1.20), Power(0.5), Power(0.5), Power(4.0), Power(6.0)},
                  {Voltage(0.95), Power(0.5), Power(0.5), Power(5.0), Power(3.0)}}} {}

Conductance PowerModel::load(std::size_t rail, const Operation& operation) const {
  const ConsumerParameters& consumer = consumers_[rail];
  const double nominal = consumer.nominal.base();
  const double hot = std::min(operation.temperature.base(), kHottest) - kReferenceTemperature;
  const double leakage = consumer.leakage.base() * std::exp(hot / kLeakageKelvin) * operation.voltage.base() / nominal;
  const double clock = operation.core_clock.base() / kReferenceClock;
  const double switching =
      clock * (consumer.clocked.base() + consumer.active.base() * std::clamp(operation.activity, 0.0, 3.0));
  const double heater = kHeaterStep * operation.heater;
  return {(consumer.always.base() + leakage + switching + heater) / (nominal * nominal)};
}

}  // namespace tb::board
