#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "Vpower_dut.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/dice.h"

namespace tb::blocks::power {

/// The board around the sequencer: rails that tests switch, and a PLL that makes the core clock.
class PowerWorld : public Agent {
 public:
  struct Pll {
    unsigned lock_delay = 30;  // ref cycles from enable to lock
    double frequency = 1.0;    // core clock by what was programmed; 0: no clock
    bool locks = true;
    unsigned chatter = 0;    // ref cycles: lock comes and goes, 6 cycles at the most, before it stays
    bool lock_lost = false;  // lock is low although the PLL runs
  };

  explicit PowerWorld(BlockBench<Vpower_dut>& bench);

  Pll pll;
  unsigned rails = 0;
  bool thermtrip = false;

  /// Inverts the power-goods of `rails` for so many ref cycles.
  void glitch_rails(unsigned rails, unsigned cycles);
  void glitch_lock(unsigned cycles);
  /// Everything off, the PLL as made.
  void reset(std::uint64_t seed);

  /// Core cycles since the beginning.
  std::uint64_t core_cycles() const { return core_cycles_; }

  void sample() override;
  void drive() override;

 private:
  bool lock_now();
  void run_core_clock();

  BlockBench<Vpower_dut>& bench_;
  Dice dice_{0};
  unsigned glitched_rails_ = 0;
  unsigned glitch_left_ = 0;
  unsigned lock_glitch_left_ = 0;
  unsigned run_left_ = 0;  // ref cycles that a chattering lock stays as it is
  bool chatter_level_ = false;
  unsigned pll_on_ = 0;  // ref cycles since enable
  double phase_ = 0;     // core cycles that are due
  std::uint64_t core_cycles_ = 0;
};

}  // namespace tb::blocks::power
