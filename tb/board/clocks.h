#pragma once

#include <cstdint>
#include <functional>
#include <random>

#include "lab/core/quantity.h"
#include "tb/instruments/agenda.h"

namespace tb::board {

/// What can be wrong with the clocks.
struct ClockFaults {
  bool reference_missing = false;
  double reference_ppm = 0;
  bool no_lock = false;
  bool wrong_frequency = false;  // locks at 3/4
  bool lock_glitch = false;      // lock drops now and then
};

struct PllParameters {
  firstlight::Frequency slowest_reference{50e6};
  firstlight::Frequency fastest_reference{200e6};
  firstlight::Frequency slowest_output{200e6};  // of the oscillator, before the throttle's divider
  firstlight::Frequency fastest_output{2000e6};
  unsigned lock_cycles = 300;   // reference cycles from enable to lock, at the least
  unsigned lock_spread = 60;    // and at random up to so many more
  unsigned glitch_cycles = 40;  // reference cycles for which a lock glitch lasts
};

/// The reference clock as it arrives, and the PLL that makes the core clock of it. Frequencies are nominal; only the
/// time that passes on the bench is stretched by `time_scale`: a reference cycle lasts time_scale / f.
class Clocks {
 public:
  Clocks(instruments::Agenda& agenda, const PllParameters& parameters, double time_scale, std::uint64_t seed);
  ~Clocks();
  Clocks(const Clocks&) = delete;
  Clocks& operator=(const Clocks&) = delete;

  /// What the generator puts out; zero while it is off.
  void set_generator(firstlight::Frequency frequency);
  void set_supplied(bool supplied);
  void set_enable(bool enable, std::uint8_t multiplier);
  void set_throttle(bool throttle);
  void set_faults(const ClockFaults& faults);

  /// What arrives at the chip; zero when nothing does.
  firstlight::Frequency reference() const;
  /// The core clock; zero while it stands.
  firstlight::Frequency core() const;
  bool locked() const { return locked_ && !glitch_; }
  /// Called after every change of what the three above tell.
  void on_change(std::function<void()> action) { action_ = std::move(action); }

 private:
  enum class Oscillator : std::uint8_t { stands, acquires, settled };

  bool can_run() const;
  firstlight::Frequency goal() const;
  void restart();
  void acquire();
  void lock();
  void drop_lock();
  void changed();
  sc_core::sc_time reference_cycles(double count) const;
  void later(const sc_core::sc_time& delay, void (Clocks::*step)());

  instruments::Agenda& agenda_;
  PllParameters parameters_;
  double time_scale_;
  std::mt19937_64 random_;
  ClockFaults faults_;
  firstlight::Frequency generator_;
  bool supplied_ = false;
  bool enabled_ = false;
  std::uint8_t multiplier_ = 0;
  bool throttle_ = false;
  Oscillator oscillator_ = Oscillator::stands;
  bool locked_ = false;
  bool glitch_ = false;
  instruments::Agenda::Entry entry_;
  std::function<void()> action_;
};

}  // namespace tb::board
