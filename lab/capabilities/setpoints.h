#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/core/quantity.h"

namespace firstlight {

/// What a device holds at a value that it is told: a chamber its air temperature, a chiller its supply temperature.
class Setpoints {
 public:
  static constexpr std::string_view kName = "setpoints";

  Setpoints() = default;
  Setpoints(const Setpoints&) = delete;
  Setpoints& operator=(const Setpoints&) = delete;
  virtual ~Setpoints() = default;

  virtual std::string part() const = 0;
  /// What `setpoint` may be below; another one throws FailureError (bench).
  virtual std::vector<std::string> setpoints() = 0;
  virtual Dimension dimension(const std::string& setpoint) = 0;
  /// Refuses (class interlock), before anything is sent, what is outside the device's range or the bench's; then sets,
  /// reads back and compares. A value of another dimension throws FailureError (bench).
  virtual void set(const std::string& setpoint, const Quantity& value) = 0;
  virtual Quantity target(const std::string& setpoint) = 0;
};

}  // namespace firstlight
