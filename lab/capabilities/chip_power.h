#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/bench_time.h"
#include "lab/core/quantity.h"

namespace firstlight {

/// The first fault that the chip's sequencer latched.
struct ChipFault {
  std::string cause;  // "brownout", "lock_lost", ...: the register map's names
  std::string rail;   // the rail's name on the bench, empty when the cause is not a rail
  std::string state;  // of the sequencer at the time
  double time = 0;    // seconds since the chip's power-on reset, nominal
  bool injected = false;
  std::string text;  // raw registers, for the record
};

struct ChipPowerState {
  std::string state;  // "off", "wait_rails", ..., "run", "fault"
  bool running = false;
  bool pll_locked = false;
  bool lock_lost = false;  // sticky since the PLL started
  unsigned lock_rises = 0;
  std::vector<std::string> rails_good;
  std::vector<std::string> rails_missing;  // required, not good
  std::string text;
};

struct CoreFrequency {
  Frequency measured;
  Frequency expected;
  Frequency resolution;  // of one count
  std::string text;
};

/// The chip's own power, clock and reset sequencer. Names of rails are those of the bench.
class ChipPower {
 public:
  static constexpr std::string_view kName = "chip_power";

  ChipPower() = default;
  ChipPower(const ChipPower&) = delete;
  ChipPower& operator=(const ChipPower&) = delete;
  virtual ~ChipPower() = default;

  virtual std::string part() const = 0;
  /// Starts the sequence and returns at once.
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual ChipPowerState state() = 0;
  virtual std::optional<ChipFault> fault() = 0;
  virtual void clear_fault() = 0;
  /// Self-test: the fault goes through the same path as a real one. `rail` by its bench name, empty for causes without
  /// one.
  virtual void inject_fault(const std::string& cause, const std::string& rail) = 0;
  virtual CoreFrequency core_frequency() = 0;
  /// The longest that start() may take by the chip's own timeouts, in bench time.
  virtual Duration start_limit() = 0;
  /// How often each rail dropped or glitched since the counts were cleared, by bench name.
  struct RailEvents {
    std::string rail;
    std::uint32_t drops = 0;
    std::uint32_t glitches = 0;
  };
  virtual std::vector<RailEvents> rail_events() = 0;
  virtual void clear_counts() = 0;
};

}  // namespace firstlight
