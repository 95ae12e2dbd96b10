#pragma once

#include <functional>
#include <systemc>
#include <vector>

#include "lab/core/quantity.h"

namespace tb::instruments {

/// The power stage behind one page of a regulator (or behind the terminals of a bench supply): what a controller can
/// tell it and measure of it.
class OutputStage {
 public:
  OutputStage() = default;
  OutputStage(const OutputStage&) = delete;
  OutputStage& operator=(const OutputStage&) = delete;
  virtual ~OutputStage() = default;

  /// Waits for `delay`, then ramps from zero to `target` in `rise`. What is left on the output stays until the ramp
  /// overtakes it (pre-biased start).
  virtual void turn_on(firstlight::Voltage target, sc_core::sc_time delay, sc_core::sc_time rise) = 0;
  /// Waits for `delay`, then ramps to zero in `fall`, then stops driving; with a `fall` of zero it stops driving at
  /// once and the load discharges the output.
  virtual void turn_off(sc_core::sc_time delay, sc_core::sc_time fall) = 0;
  /// Moves the set point of a driven output.
  virtual void move_to(firstlight::Voltage target, firstlight::VoltageSlew slew) = 0;
  /// The stage is driven, be it still in its delay.
  virtual bool driving() const = 0;
  /// The set point has reached its target.
  virtual bool settled() const = 0;

  /// As what averages sees it: telemetry, meters.
  virtual firstlight::Voltage voltage() const = 0;
  virtual firstlight::Current current() const = 0;
  /// As a comparator sees it.
  virtual firstlight::Voltage instant_voltage() const { return voltage(); }
  /// The lowest and the highest that a comparator has seen since `forget_extremes`.
  virtual firstlight::Voltage lowest_voltage() = 0;
  virtual firstlight::Voltage highest_voltage() = 0;
  virtual void forget_extremes() = 0;

  /// Levels at which the controller wants to be called, and what to call: at every crossing, at the corners of a ramp,
  /// and when the load changes.
  virtual void watch(std::vector<firstlight::Voltage> levels) = 0;
  virtual void on_event(std::function<void()> action) = 0;
};

}  // namespace tb::instruments
