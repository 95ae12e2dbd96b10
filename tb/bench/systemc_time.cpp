#include "tb/bench/systemc_time.h"

#include <algorithm>
#include <systemc>

namespace tb {
namespace {

// Time without an end is advanced in slices, which keeps the sum within sc_time's 64 bits.
constexpr firstlight::Duration kLongestSlice = std::chrono::hours(1);

}  // namespace

firstlight::Instant SystemcTime::now() const {
  return firstlight::Instant(
      firstlight::Duration(static_cast<std::int64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS))));
}

void SystemcTime::advance(firstlight::Instant until) {
  const firstlight::Instant from = now();
  if (until <= from) return;
  const firstlight::Duration slice =
      until == firstlight::kNever ? kLongestSlice : std::min(until - from, kLongestSlice);
  running_ = true;
  sc_core::sc_start(sc_core::sc_time(static_cast<double>(slice.count()), sc_core::SC_PS));
  running_ = false;
}

void SystemcTime::interrupt() {
  if (running_) sc_core::sc_pause();
}

}  // namespace tb
