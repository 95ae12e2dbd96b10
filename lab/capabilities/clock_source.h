#pragma once

#include <string>
#include <string_view>

#include "lab/core/quantity.h"

namespace firstlight {

/// A clock generator with a counter. Frequencies are nominal also where a model runs slower.
class ClockSource {
 public:
  static constexpr std::string_view kName = "clock";

  ClockSource() = default;
  ClockSource(const ClockSource&) = delete;
  ClockSource& operator=(const ClockSource&) = delete;
  virtual ~ClockSource() = default;

  virtual std::string part() const = 0;
  virtual void set_frequency(Frequency frequency) = 0;
  virtual Frequency target_frequency() = 0;
  virtual void enable() = 0;
  virtual void disable() = 0;
  virtual bool enabled() = 0;
  virtual int counter_inputs() const = 0;
  /// Counts a signal; 0 Hz when there are no edges.
  /// @param input from 1: 1 is the generator's own output, others are named by the bench
  virtual Frequency measured_frequency(int input) = 0;
};

}  // namespace firstlight
