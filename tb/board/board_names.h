#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "tb/board/thermal_plant.h"

namespace tb::board {

inline constexpr std::size_t kRails = 5;
/// In the order of the chip's power-good pins.
inline constexpr std::array<std::string_view, kRails> kRailNames = {"vdd_aon", "vdd_core", "vdd_sram", "vdd_hbm",
                                                                    "vdd_serdes"};
inline constexpr std::size_t kAon = 0;
inline constexpr std::size_t kCore = 1;
inline constexpr std::array<std::string_view, kZones> kZoneNames = {"core", "sram", "hbm", "serdes"};
/// The rail that feeds a zone.
constexpr std::size_t rail_of_zone(std::size_t zone) { return zone + 1; }

inline constexpr std::size_t kRegulators = 2;
inline constexpr std::array<std::string_view, kRegulators> kRegulatorNames = {"vr_core", "vr_io"};

template <std::size_t N>
std::optional<std::size_t> index_of(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return i;
  return std::nullopt;
}

}  // namespace tb::board
