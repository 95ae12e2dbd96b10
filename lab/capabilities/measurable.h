#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lab/core/quantity.h"

namespace firstlight {

/// A quantity of the bench that can be read by name: "vdd_core.voltage", "coolant.flow", "die.hottest".
struct Measurable {
  std::string name;
  Dimension dimension = Dimension::none;
  std::string doc;
  std::string part;  // the part that senses it, for blame: "dmm0 channel 2"
  /// Reads it now. Throws FailureError (infrastructure or dut) when it cannot be had; a sentinel or an implausible
  /// reading is such a failure and never a value.
  std::function<Quantity()> read;
};

}  // namespace firstlight
