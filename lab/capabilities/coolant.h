#pragma once

#include <string>
#include <string_view>

#include "lab/core/quantity.h"

namespace firstlight {

/// A coolant distribution unit.
class CoolantUnit {
 public:
  static constexpr std::string_view kName = "coolant";

  CoolantUnit() = default;
  CoolantUnit(const CoolantUnit&) = delete;
  CoolantUnit& operator=(const CoolantUnit&) = delete;
  virtual ~CoolantUnit() = default;

  virtual std::string part() const = 0;
  virtual void set_temperature(Temperature inlet) = 0;
  virtual void set_flow(Flow flow) = 0;
  virtual Temperature target_temperature() = 0;
  virtual Flow target_flow() = 0;
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual bool running() = 0;
  virtual Temperature inlet() = 0;
  virtual Temperature outlet() = 0;
  virtual Flow flow() = 0;
  virtual Quantity pressure() = 0;  // Pa
  virtual bool leak() = 0;
};

}  // namespace firstlight
