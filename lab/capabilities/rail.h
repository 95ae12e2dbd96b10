#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/core/bench_time.h"
#include "lab/core/failure.h"
#include "lab/core/quantity.h"

namespace firstlight {

enum class Margin : std::uint8_t { none, low, high };

/// What a regulator says of one output.
struct RailStatus {
  bool on = false;  // STATUS_WORD.OFF is clear
  bool power_good = false;
  std::vector<std::string> faults;  // "VOUT_UV_FAULT", "TON_MAX_FAULT", ...: PMBus names
  std::string text;                 // raw, for the record: "STATUS_WORD 0x0800 STATUS_VOUT 0x00"
};

/// One rail of the board through its regulator. What a bench hands out refuses, with class interlock, whatever the
/// bench's envelope does not allow (lab/capabilities/safeguard.h); drivers need not look. Every call does I/O, has its
/// own deadline, reads back what it writes, and throws FailureError with the bytes on both sides when something is
/// wrong.
class Rail {
 public:
  Rail() = default;
  Rail(const Rail&) = delete;
  Rail& operator=(const Rail&) = delete;
  virtual ~Rail() = default;

  virtual const RailPlan& plan() const = 0;
  virtual std::string part() const = 0;  // for blame: "vr_core page 0"

  virtual void set_voltage(Voltage voltage) = 0;
  virtual Voltage target_voltage() = 0;
  virtual void enable() = 0;  // starts the ramp; does not wait for it
  virtual void disable() = 0;
  virtual void set_margin(Margin margin) = 0;
  virtual Voltage margin_voltage(Margin margin) = 0;
  /// The margin that the part is on now.
  virtual Margin margin() { return Margin::none; }
  /// What the part would really be set to: the nearest that its number format holds.
  virtual Voltage settable(Voltage voltage) { return voltage; }
  /// What the part adds to every set point by itself (a trim, a calibration).
  virtual Voltage offset() { return Voltage(0); }
  /// The rate at which the part moves its output to a new set point; nothing when it jumps, or does not say.
  virtual std::optional<VoltageSlew> transition_rate() { return std::nullopt; }
  virtual Voltage voltage() = 0;
  /// The lowest and the highest that the output has been since `clear_extremes`, droops of a microsecond included.
  /// Throw FailureError (bench) when the part does not catch them, or is not known to.
  virtual Voltage lowest_voltage() { throw FailureError(no_capture()); }
  virtual Voltage highest_voltage() { throw FailureError(no_capture()); }
  virtual void clear_extremes() { throw FailureError(no_capture()); }
  virtual Current current() = 0;
  virtual Temperature temperature() = 0;
  virtual RailStatus status() = 0;
  virtual void clear_faults() = 0;
  /// From the part's own timing registers: delay plus rise, or delay plus fall.
  virtual Duration rise_time() = 0;
  virtual Duration fall_time() = 0;
  /// The power-good pin, when the bench names one.
  virtual std::optional<bool> power_good_pin() = 0;

 protected:
  /// What is said of a part that does not catch extremes.
  Failure no_capture() const;
};

}  // namespace firstlight
