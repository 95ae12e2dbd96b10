#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lab/core/bench_time.h"

namespace firstlight {

/// What a chip did in a burst, by its own counters, in core cycles.
struct BurstOutcome {
  std::uint64_t active = 0;  // at full current
  std::uint64_t held = 0;    // between them, while a limit held it back
  std::uint64_t slowed = 0;  // of the active ones: while a limit was in force
};

/// What can take a chip's current from rest to full from one cycle to the next, and stop as fast.
class CurrentBurst {
 public:
  static constexpr std::string_view kName = "burst";

  CurrentBurst() = default;
  CurrentBurst(const CurrentBurst&) = delete;
  CurrentBurst& operator=(const CurrentBurst&) = delete;
  virtual ~CurrentBurst() = default;

  virtual std::string part() const = 0;
  /// The rail that carries it.
  virtual std::string rail() const = 0;
  virtual unsigned longest() const = 0;  // cycles of one burst
  /// Puts what a burst works on in its place. Once, before bursts.
  virtual void prepare(Instant deadline) = 0;
  /// One burst of so many cycles, from rest. @param ramp whether the chip's own ramp after rest takes part
  /// Throws FailureError (dut) when the chip stops with an error, or does not end in time.
  virtual BurstOutcome run(unsigned cycles, bool ramp, Instant deadline) = 0;
};

}  // namespace firstlight
