#pragma once

#include <string>
#include <string_view>

#include "lab/core/quantity.h"

namespace firstlight {

/// An electronic load at constant current.
class Load {
 public:
  static constexpr std::string_view kName = "load";

  Load() = default;
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  virtual ~Load() = default;

  virtual std::string part() const = 0;
  /// Refuses (class interlock) what exceeds the instrument's range, and reads back. What a bench hands out also refuses
  /// what exceeds its envelope.
  virtual void set_current(Current current) = 0;
  virtual Current target_current() = 0;
  virtual void enable() = 0;
  virtual void disable() = 0;
  virtual bool enabled() = 0;
  virtual Voltage voltage() = 0;
  virtual Current current() = 0;
  virtual Power power() = 0;
};

}  // namespace firstlight
