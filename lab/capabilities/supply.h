#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/core/quantity.h"

namespace firstlight {

/// A bench supply, one output. Every call does I/O, has its own deadline and throws FailureError.
class Supply {
 public:
  static constexpr std::string_view kName = "supply";

  Supply() = default;
  Supply(const Supply&) = delete;
  Supply& operator=(const Supply&) = delete;
  virtual ~Supply() = default;

  virtual std::string part() const = 0;
  /// Each refuses (class interlock) what exceeds the instrument's range, and reads back. What a bench hands out also
  /// refuses what exceeds its envelope.
  virtual void set_voltage(Voltage voltage) = 0;
  virtual void set_current_limit(Current limit) = 0;
  virtual void set_over_voltage(Voltage threshold) = 0;
  /// False for a supply whose protection cannot be set from afar; set_over_voltage is then refused (class bench).
  virtual bool has_over_voltage() const { return true; }
  virtual Voltage target_voltage() = 0;
  virtual void enable() = 0;
  virtual void disable() = 0;
  virtual bool enabled() = 0;
  virtual Voltage voltage() = 0;
  virtual Current current() = 0;
  virtual Power power() = 0;
  /// What has switched the output off by itself: "over-voltage", "over-current"; empty when nothing.
  virtual std::vector<std::string> trips() = 0;
};

}  // namespace firstlight
