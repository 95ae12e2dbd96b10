#pragma once

#include <array>

#include "lab/core/quantity.h"
#include "tb/board/board_names.h"
#include "tb/board/units.h"

namespace tb::board {

/// What a rail's consumers draw at nominal voltage, 1 GHz of core clock and 50 degC.
struct ConsumerParameters {
  firstlight::Voltage nominal;
  firstlight::Power always;   // with voltage alone
  firstlight::Power leakage;  // grows with temperature and with the voltage's cube
  firstlight::Power clocked;  // whenever the core clock runs
  firstlight::Power active;   // on top, at activity 1
};

/// What the consumers of a rail do now.
struct Operation {
  firstlight::Voltage voltage;
  firstlight::Temperature temperature;
  firstlight::Frequency core_clock;
  double activity = 0;  // 0 .. 1; the core up to 3 with the tensor engine
  unsigned heater = 0;  // 0 .. 15, 1 W each at nominal voltage
};

/// Loads of the chip's rails: leakage, C V^2 f and the on-die heaters.
class PowerModel {
 public:
  PowerModel();
  Conductance load(std::size_t rail, const Operation& operation) const;
  const ConsumerParameters& consumer(std::size_t rail) const { return consumers_[rail]; }

 private:
  std::array<ConsumerParameters, kRails> consumers_;
};

}  // namespace tb::board
