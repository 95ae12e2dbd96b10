#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace tb::golden {

/// A level behind two flip-flops, followed once it was the same for `cycles` samples (0 counts as 1).
class Deglitched {
 public:
  bool step(bool pin, unsigned cycles);
  bool level() const { return level_; }
  /// The level behind the two flip-flops.
  bool synchronised() const;

 private:
  std::deque<bool> pins_;  // newest last
  bool level_ = false;
};

/// What rtl/regs/power.yaml says of the sequencer, a reference cycle at a time. Commands take effect in the next step.
/// Durations are exact to a few cycles: the description does not say how long a register write takes.
class PowerSequencer {
 public:
  static constexpr unsigned kRails = 5;

  enum class State { Off, WaitRails, PllStart, PllLock, FreqCheck, ResetRelease, Run, Stop, Fault };
  enum class Cause { None, Brownout, Thermtrip, LockLost, Freq, RailTimeout, LockTimeout };
  static constexpr unsigned kNoRail = 7;

  struct Config {
    unsigned required = 0x1f;
    unsigned deglitch = 4;
    unsigned lock_deglitch = 12;
    unsigned lock_samples = 8;
    unsigned min_wait = 64;
    unsigned window = 64;
    unsigned timeout_rails = 1000000;
    unsigned timeout_lock = 2000;
    unsigned release_delay = 16;
    unsigned stop_delay = 16;
    bool auto_start = false;
    bool fault_test = false;
    bool freq_monitor = false;
  };
  struct Pins {
    unsigned rails = 0;
    bool lock = false;
    bool thermtrip = false;
  };
  struct Snapshot {
    Cause cause = Cause::None;
    unsigned rail = 0;
    State state = State::Off;
    unsigned rails_before = 0;
    unsigned rails_after = 0;
    bool injected = false;
    std::uint64_t time = 0;
  };

  Config config;

  void start() { start_ = true; }
  void stop() { stop_ = true; }
  void clear_fault() { clear_ = true; }
  void inject(Cause cause, unsigned rail) { injected_ = {cause, rail}; }

  /// `frequency_good`: what a measurement that ends in this cycle would find.
  void step(const Pins& pins, bool frequency_good);

  State state() const { return state_; }
  unsigned good() const { return good_; }
  std::optional<Snapshot> snapshot() const { return snapshot_; }
  /// How often each cause came, by its number.
  const std::array<unsigned, 7>& counts() const { return counts_; }
  unsigned secondary() const { return secondary_; }
  unsigned drops(unsigned rail) const { return drops_.at(rail); }
  /// When the rail became good the last time; 0 never.
  std::uint64_t good_at(unsigned rail) const { return good_at_.at(rail); }

 private:
  struct Injection {
    Cause cause = Cause::None;
    unsigned rail = 0;
  };

  bool sequencing() const { return state_ >= State::WaitRails && state_ <= State::Run; }
  bool past_rails() const { return state_ >= State::PllStart && state_ <= State::Run; }
  bool needs_lock() const { return state_ >= State::FreqCheck && state_ <= State::Run; }
  unsigned missing() const { return config.required & ~good_; }
  /// A wait of n cycles ends with the cycle after them.
  bool waited(unsigned cycles) const { return now_ - since_ > cycles; }
  void watch(const Pins& pins);
  std::vector<Cause> faults_now(const Pins& pins, bool frequency_good);
  void record(const std::vector<Cause>& real);
  std::optional<State> next();
  void enter(State state);

  std::array<Deglitched, kRails> rails_;
  Deglitched lock_;
  State state_ = State::Off;
  std::uint64_t now_ = 0;
  std::uint64_t since_ = 0;  // when the state was entered
  unsigned good_ = 0;
  unsigned good_before_ = 0;
  unsigned lock_run_ = 0;  // samples in a row that count
  bool thermtrip_before_ = false;
  bool start_ = false;
  bool stop_ = false;
  bool clear_ = false;
  Injection injected_;
  std::optional<Snapshot> snapshot_;
  std::array<unsigned, 7> counts_{};
  unsigned secondary_ = 0;
  std::array<unsigned, kRails> drops_{};
  std::array<std::uint64_t, kRails> good_at_{};
};

}  // namespace tb::golden
