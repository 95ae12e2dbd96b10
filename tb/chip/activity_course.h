#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tb/chip/chip_pins.h"

namespace tb {

/// How busy the chip is within a quantum of time, in bins of a few core cycles: what a supply's response can still tell
/// apart. Only changes are kept, so that a steady chip has nothing to tell.
class ActivityCourse {
 public:
  static constexpr unsigned kBinCycles = 4;

  /// One core cycle. @param at its beginning within the quantum @param activity sixteen bits a zone, each at most 255
  void add(const sc_core::sc_time& at, std::uint64_t activity) {
    if (cycles_ == 0) begin_ = at;
    sum_ += activity;
    if (++cycles_ == kBinCycles) close();
  }
  /// The core clock stands.
  void stop() {
    begin_ = sc_core::SC_ZERO_TIME;
    sum_ = 0;
    cycles_ = 1;
    close();
  }
  /// The quantum has ended: its changes, valid until the next call of anything.
  const std::vector<ActivityChange>& take() {
    if (cycles_ > 0) close();
    told_.swap(changes_);
    changes_.clear();
    return told_;
  }

 private:
  void close();

  sc_core::sc_time begin_;
  std::uint64_t sum_ = 0;
  unsigned cycles_ = 0;
  std::uint64_t last_ = 0;
  std::vector<ActivityChange> changes_;
  std::vector<ActivityChange> told_;
};

}  // namespace tb
