#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>

#include "lab/core/quantity.h"
#include "tb/board/thermal_plant.h"

namespace tb::board {

struct SensorFaults {
  std::optional<std::size_t> stuck;     // the zone whose sensor keeps its first reading
  std::optional<std::size_t> sentinel;  // the zone whose sensor reads -128 degC
};

/// The four die temperature sensors: an offset each within 0.5 K, noise of 0.05 K, and steps of 0.125 degC in 12 bits,
/// two's complement.
class ZoneSensors {
 public:
  static constexpr double kStep = 0.125;
  static constexpr std::int16_t kSentinel = -1024;  // -128 degC

  explicit ZoneSensors(std::uint64_t seed);
  /// One conversion.
  std::int16_t convert(std::size_t zone, firstlight::Temperature temperature);
  void set_faults(const SensorFaults& faults) { faults_ = faults; }
  double offset_kelvin(std::size_t zone) const { return offsets_[zone]; }

 private:
  std::mt19937_64 random_;
  SensorFaults faults_;
  std::array<double, kZones> offsets_{};
  std::array<std::optional<std::int16_t>, kZones> first_;
};

}  // namespace tb::board
