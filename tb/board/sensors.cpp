#include "tb/board/sensors.h"

#include <algorithm>
#include <cmath>

namespace tb::board {

namespace {
constexpr double kOffset = 0.5;
constexpr double kNoise = 0.05;
}  // namespace

ZoneSensors::ZoneSensors(std::uint64_t seed) : random_(seed) {
  std::uniform_real_distribution<double> offset(-kOffset, kOffset);
  for (double& value : offsets_) value = offset(random_);
}

std::int16_t ZoneSensors::convert(std::size_t zone, firstlight::Temperature temperature) {
  const double noise = std::normal_distribution<double>(0, kNoise)(random_);
  const double steps = std::round((temperature.base() + offsets_[zone] + noise) / kStep);
  const auto code = static_cast<std::int16_t>(std::clamp(steps, -2048.0, 2047.0));
  if (!first_[zone]) first_[zone] = code;
  if (faults_.sentinel == zone) return kSentinel;
  if (faults_.stuck == zone) return *first_[zone];
  return code;
}

}  // namespace tb::board
