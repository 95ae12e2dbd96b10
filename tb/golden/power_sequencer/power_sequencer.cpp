#include "tb/golden/power_sequencer/power_sequencer.h"

#include <algorithm>

namespace tb::golden {
namespace {

unsigned lowest(unsigned rails) {
  for (unsigned r = 0; r < PowerSequencer::kRails; ++r)
    if ((rails >> r) & 1U) return r;
  return PowerSequencer::kNoRail;
}

}  // namespace

bool Deglitched::step(bool pin, unsigned cycles) {
  pins_.push_back(pin);
  const std::size_t needed = std::max(1U, cycles);
  while (pins_.size() > needed + 2) pins_.pop_front();
  if (pins_.size() < needed + 2) return level_;
  // The two newest are still in the flip-flops.
  const auto end = pins_.begin() + static_cast<std::ptrdiff_t>(needed);
  const bool candidate = pins_.front();
  if (std::all_of(pins_.begin(), end, [candidate](bool p) { return p == candidate; })) level_ = candidate;
  return level_;
}

bool Deglitched::synchronised() const { return pins_.size() >= 2 && pins_[pins_.size() - 2]; }

void PowerSequencer::watch(const Pins& pins) {
  good_before_ = good_;
  good_ = 0;
  for (unsigned r = 0; r < kRails; ++r) {
    const unsigned bit = 1U << r;
    if (rails_.at(r).step((pins.rails & bit) != 0, config.deglitch)) good_ |= bit;
    if (good_ & ~good_before_ & bit) good_at_.at(r) = now_;
    if (good_before_ & ~good_ & bit) ++drops_.at(r);
  }
  lock_.step(pins.lock, config.lock_deglitch);
}

std::vector<PowerSequencer::Cause> PowerSequencer::faults_now(const Pins& pins, bool frequency_good) {
  std::vector<Cause> causes;
  const bool rail_fell = (good_before_ & ~good_ & config.required) != 0;
  const bool trip_begins = pins.thermtrip && !thermtrip_before_;
  thermtrip_before_ = pins.thermtrip;
  if ((past_rails() && missing() != 0) || (state_ == State::Fault && rail_fell)) causes.push_back(Cause::Brownout);
  if ((pins.thermtrip && sequencing()) || (trip_begins && (state_ == State::Fault || state_ == State::Stop)))
    causes.push_back(Cause::Thermtrip);
  if (needs_lock() && !lock_.level()) causes.push_back(Cause::LockLost);
  if (!frequency_good &&
      ((state_ == State::FreqCheck && waited(config.window)) || (state_ == State::Run && config.freq_monitor)))
    causes.push_back(Cause::Freq);
  if (state_ == State::WaitRails && missing() != 0 && config.timeout_rails != 0 && waited(config.timeout_rails))
    causes.push_back(Cause::RailTimeout);
  const bool locked = lock_run_ >= std::max(1U, config.lock_samples) && lock_.level();
  if (state_ == State::PllLock && !locked && config.timeout_lock != 0 && waited(config.timeout_lock))
    causes.push_back(Cause::LockTimeout);
  return causes;
}

void PowerSequencer::record(const std::vector<Cause>& real) {
  for (const Cause cause : real) ++counts_.at(static_cast<std::size_t>(cause));
  const bool by_injection = injected_.cause != Cause::None;
  if (by_injection && std::count(real.begin(), real.end(), injected_.cause) == 0)
    ++counts_.at(static_cast<std::size_t>(injected_.cause));
  if (real.empty() && !by_injection) return;
  if (snapshot_) {
    ++secondary_;
    return;
  }
  Snapshot shot;
  shot.state = state_;
  shot.rails_before = good_before_;
  shot.rails_after = good_;
  shot.time = now_;
  shot.injected = real.empty();
  shot.cause = real.empty() ? injected_.cause : *std::min_element(real.begin(), real.end());
  if (real.empty())
    shot.rail = injected_.rail;
  else if (shot.cause == Cause::Brownout || shot.cause == Cause::RailTimeout)
    shot.rail = lowest(state_ == State::Fault ? good_before_ & ~good_ & config.required : missing());
  else
    shot.rail = kNoRail;
  snapshot_ = shot;
}

std::optional<PowerSequencer::State> PowerSequencer::next() {
  switch (state_) {
    case State::Off:
      if (start_ || config.auto_start) return State::WaitRails;
      break;
    case State::WaitRails:
      if (missing() == 0) return State::PllStart;
      break;
    case State::PllStart:
      return State::PllLock;
    case State::PllLock:
      if (lock_run_ >= std::max(1U, config.lock_samples) && lock_.level()) return State::FreqCheck;
      break;
    case State::FreqCheck:
      if (waited(config.window)) return State::ResetRelease;
      break;
    case State::ResetRelease:
      if (waited(config.release_delay)) return State::Run;
      break;
    case State::Stop:
      if (waited(config.stop_delay)) return State::Off;
      break;
    case State::Fault:
      if (clear_) return State::Off;
      break;
    case State::Run:
      break;
  }
  return std::nullopt;
}

void PowerSequencer::enter(State state) {
  state_ = state;
  since_ = now_;
}

void PowerSequencer::step(const Pins& pins, bool frequency_good) {
  ++now_;
  const bool counts = state_ == State::PllLock && waited(config.min_wait) && lock_.synchronised();
  lock_run_ = counts ? lock_run_ + 1 : 0;
  const auto faults = faults_now(pins, frequency_good);
  if (clear_) snapshot_.reset();
  record(faults);
  const bool injected = injected_.cause != Cause::None;
  const bool harmless = config.fault_test && state_ == State::Run;
  if (sequencing() && (!faults.empty() || (injected && !harmless)))
    enter(State::Fault);
  else if (sequencing() && stop_)
    enter(State::Stop);
  else if (const auto state = next())
    enter(*state);
  start_ = stop_ = clear_ = false;
  injected_ = {};
  watch(pins);
}

}  // namespace tb::golden
