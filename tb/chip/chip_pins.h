#pragma once

#include <array>
#include <cstdint>
#include <systemc>

namespace tb {

inline constexpr std::size_t kRails = 5;
inline constexpr std::size_t kZones = 4;

/// What the board drives into the chip. Levels are electrical.
struct PinsToChip {
  std::uint8_t power_good = 0;  // bit per rail, in the order of rtl/README.md
  bool por_n = false;           // vdd_aon is good
  bool pll_lock = false;
  double reference_hz = 0;  // nominal; 0: stopped
  double core_hz = 0;       // nominal output of the PLL; 0: stopped
  std::uint8_t straps = 0;
  std::array<std::int16_t, kZones> zone_code{};  // 12 bits signed, 0.125 degC
  bool vr_hot_n = true;
  bool power_brake_n = true;
};

/// What the chip drives into the board.
struct PinsFromChip {
  bool pll_enable = false;
  std::uint8_t pll_multiplier = 0;
  bool thermtrip_n = true;
  bool alert_n = true;
  bool fault_n = true;
  bool throttle = false;
  bool irq = false;
  bool core_reset_n = false;
  std::array<std::uint8_t, kZones> heater{};  // 0..15
  std::array<double, kZones>
      activity{};  // 1 for a full rate, the core up to 3 with the tensor engine; average since the last call
};

/// From `after` (since the moment of telling) the zones are this busy, as in PinsFromChip, on average over a few
/// cycles.
struct ActivityChange {
  sc_core::sc_time after = sc_core::SC_ZERO_TIME;
  std::array<double, kZones> activity{};
};

}  // namespace tb
