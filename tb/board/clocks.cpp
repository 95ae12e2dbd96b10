#include "tb/board/clocks.h"

namespace tb::board {

using firstlight::Frequency;

namespace {
constexpr double kAcquiring = 0.6;       // of the goal, while the PLL acquires
constexpr double kWrong = 0.75;          // of the goal, where it locks wrongly
constexpr double kStartShare = 0.25;     // of the lock time, until the oscillator starts
constexpr double kGlitchEarliest = 0.1;  // s after lock or the glitch before
constexpr double kGlitchLatest = 0.3;
}  // namespace

Clocks::Clocks(instruments::Agenda& agenda, const PllParameters& parameters, double time_scale, std::uint64_t seed)
    : agenda_(agenda), parameters_(parameters), time_scale_(time_scale), random_(seed) {}

Clocks::~Clocks() { agenda_.cancel(entry_); }

Frequency Clocks::reference() const {
  if (faults_.reference_missing) return Frequency(0);
  return generator_ * (1 + faults_.reference_ppm * 1e-6);
}

Frequency Clocks::goal() const { return reference() * multiplier_; }

Frequency Clocks::core() const {
  double share = 0;
  if (oscillator_ == Oscillator::acquires) share = kAcquiring;
  if (oscillator_ == Oscillator::settled) share = faults_.wrong_frequency ? kWrong : 1.0;
  return goal() * share * (throttle_ ? 0.5 : 1.0);
}

bool Clocks::can_run() const {
  const Frequency in = reference();
  return enabled_ && supplied_ && in >= parameters_.slowest_reference && in <= parameters_.fastest_reference;
}

sc_core::sc_time Clocks::reference_cycles(double count) const {
  return {count * time_scale_ / reference().base(), sc_core::SC_SEC};
}

void Clocks::later(const sc_core::sc_time& delay, void (Clocks::*step)()) {
  entry_ = agenda_.after(delay, [this, step] {
    entry_ = {};
    (this->*step)();
  });
}

void Clocks::set_generator(Frequency frequency) {
  if (frequency == generator_) return;
  generator_ = frequency;
  restart();
}

void Clocks::set_supplied(bool supplied) {
  if (supplied == supplied_) return;
  supplied_ = supplied;
  restart();
}

void Clocks::set_enable(bool enable, std::uint8_t multiplier) {
  if (enable == enabled_ && multiplier == multiplier_) return;
  enabled_ = enable;
  multiplier_ = multiplier;
  restart();
}

void Clocks::set_throttle(bool throttle) {
  if (throttle == throttle_) return;
  throttle_ = throttle;
  changed();
}

void Clocks::set_faults(const ClockFaults& faults) {
  faults_ = faults;
  restart();
}

void Clocks::restart() {
  agenda_.cancel(entry_);
  oscillator_ = Oscillator::stands;
  locked_ = glitch_ = false;
  if (can_run()) later(reference_cycles(parameters_.lock_cycles * kStartShare), &Clocks::acquire);
  changed();
}

void Clocks::acquire() {
  oscillator_ = Oscillator::acquires;
  const bool reachable = goal() >= parameters_.slowest_output && goal() <= parameters_.fastest_output;
  if (reachable && !faults_.no_lock) {
    std::uniform_int_distribution<unsigned> spread(0, parameters_.lock_spread);
    later(reference_cycles(parameters_.lock_cycles * (1 - kStartShare) + spread(random_)), &Clocks::lock);
  }
  changed();
}

void Clocks::lock() {
  oscillator_ = Oscillator::settled;
  locked_ = true;
  glitch_ = false;
  if (faults_.lock_glitch) {
    std::uniform_real_distribution<double> wait(kGlitchEarliest, kGlitchLatest);
    later(sc_core::sc_time(wait(random_), sc_core::SC_SEC), &Clocks::drop_lock);
  }
  changed();
}

void Clocks::drop_lock() {
  glitch_ = true;
  later(reference_cycles(parameters_.glitch_cycles), &Clocks::lock);
  changed();
}

void Clocks::changed() {
  if (action_) action_();
}

}  // namespace tb::board
