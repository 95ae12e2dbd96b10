#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "lab/core/quantity.h"
#include "tb/board/board_names.h"

namespace tb::board {

/// What the board puts on the chip's pins.
struct BoardPins {
  std::array<bool, kRails> power_good{};  // in the order of kRailNames
  bool por_n = false;                     // power-on reset: low while vdd_aon is not good
  bool pll_lock = false;
  firstlight::Frequency reference_clock;                // nominal; zero while it stands
  firstlight::Frequency core_clock;                     // nominal; zero while it stands
  std::array<std::int16_t, kZones> zone_temperature{};  // 12 bits, two's complement, LSB 0.125 degC
  bool vr_hot_n = true;
  bool power_brake_n = true;  // low while the 12 V input gives way

  friend bool operator==(const BoardPins& a, const BoardPins& b) {
    return a.power_good == b.power_good && a.por_n == b.por_n && a.pll_lock == b.pll_lock &&
           a.reference_clock == b.reference_clock && a.core_clock == b.core_clock &&
           a.zone_temperature == b.zone_temperature && a.vr_hot_n == b.vr_hot_n && a.power_brake_n == b.power_brake_n;
  }
  friend bool operator!=(const BoardPins& a, const BoardPins& b) { return !(a == b); }
};

/// What the chip puts on the board's pins, and how busy it was. The default is a chip without power: the board's pull
/// resistors decide.
struct ChipPins {
  bool pll_enable = false;
  std::uint8_t pll_multiplier = 0;
  bool thermtrip_n = true;
  bool alert_n = true;
  bool throttle = false;
  bool fault_n = true;
  bool irq = false;
  std::array<std::uint8_t, kZones> heater{};  // 0 .. 15 a zone
  std::array<double, kZones>
      activity{};  // 1 for a full rate, the core up to 3; averaged since the last time that it was told
};

/// From `after` (since the moment of telling) the zones are this busy, as in ChipPins.
struct ActivityStep {
  sc_core::sc_time after = sc_core::SC_ZERO_TIME;
  std::array<double, kZones> activity{};
};

}  // namespace tb::board
