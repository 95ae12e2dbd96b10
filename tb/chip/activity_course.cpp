#include "tb/chip/activity_course.h"

namespace tb {

namespace {
constexpr unsigned kParts = 12;
}

void ActivityCourse::close() {
  // The end of a quantum cuts bins short: twelve parts of a cycle divide by all their lengths.
  const std::uint64_t scaled = sum_ * (kParts / cycles_);
  sum_ = 0;
  cycles_ = 0;
  if (scaled == last_) return;
  last_ = scaled;
  ActivityChange change;
  change.after = begin_;
  for (std::size_t zone = 0; zone < kZones; ++zone)
    change.activity[zone] = static_cast<double>((scaled >> (16 * zone)) & 0xFFFFU) / (15.0 * kParts);
  changes_.push_back(change);
}

}  // namespace tb
