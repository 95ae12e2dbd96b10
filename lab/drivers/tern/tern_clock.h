#pragma once

#include <cstdint>

#include "lab/core/bench_time.h"
#include "lab/core/quantity.h"

namespace firstlight::tern {

/// Tern counts cycles; the bench counts time. `time_scale` is how many times slower than nominal the clocks run against
/// bench time (1 on silicon).
struct TernClock {
  Frequency reference{100e6};  // nominal
  Frequency core{1e9};         // nominal
  double time_scale = 1;

  Duration ref_cycles(double count) const { return from_seconds(count / reference.base() * time_scale); }
  Duration core_cycles(double count) const { return from_seconds(count / core.base() * time_scale); }
  double ref_seconds(std::uint64_t count) const { return static_cast<double>(count) / reference.base(); }
  double core_seconds(std::uint64_t count) const { return static_cast<double>(count) / core.base(); }
};

}  // namespace firstlight::tern
