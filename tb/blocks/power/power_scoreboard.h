#pragma once

#include <array>
#include <string>
#include <vector>

#include "tb/blocks/power/power_world.h"
#include "tb/golden/power_sequencer/power_sequencer.h"

namespace tb::blocks::power {

/// Runs the reference beside the block, with the registers that are written, compares the state each ref cycle, and
/// watches what must never happen. What it finds is in `violations`.
class PowerScoreboard : public Agent {
 public:
  PowerScoreboard(BlockBench<Vpower_dut>& bench, PowerWorld& world);

  golden::PowerSequencer model;
  std::vector<std::string> violations;
  /// Every state that the block entered.
  std::vector<golden::PowerSequencer::State> trace;

  /// With the block in reset.
  void restart();

  void sample() override;
  void drive() override {}

 private:
  void follow(std::uint32_t address, std::uint32_t value);
  void watch_order();
  void watch_rails();
  void expect(bool good, const char* what);

  BlockBench<Vpower_dut>& bench_;
  PowerWorld& world_;
  golden::PowerSequencer::State state_before_ = golden::PowerSequencer::State::Off;
  bool core_ran_ = false;
  bool pll_ran_ = false;
  unsigned mult_before_ = 0;
  unsigned bad_rail_cycles_ = 0;
  std::array<unsigned, 5> bad_pin_cycles_{};
  unsigned trip_cycles_ = 0;
  unsigned locked_cycles_ = 0;
  unsigned unlocked_cycles_ = 0;
  unsigned longest_lock_ = 0;  // since the PLL was started
};

}  // namespace tb::blocks::power
