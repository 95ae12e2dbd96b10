#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/drivers/pmbus/command.h"

namespace firstlight::pmbus {

/// Bits of STATUS_WORD (PMBus 1.3 part II, 17.2).
inline constexpr std::uint16_t kStatusCml = 0x0002;
inline constexpr std::uint16_t kStatusTemperature = 0x0004;
inline constexpr std::uint16_t kStatusOff = 0x0040;
inline constexpr std::uint16_t kStatusBusy = 0x0080;
inline constexpr std::uint16_t kStatusOther = 0x0200;
inline constexpr std::uint16_t kStatusPowerGoodNegated = 0x0800;
inline constexpr std::uint16_t kStatusMfr = 0x1000;
inline constexpr std::uint16_t kStatusInput = 0x2000;
inline constexpr std::uint16_t kStatusIout = 0x4000;
inline constexpr std::uint16_t kStatusVout = 0x8000;

/// Names of the bits that are set in STATUS_VOUT and its brothers, highest first ("VOUT_UV_FAULT"); warnings too.
/// Manufacturer's bits come as "MFR_SPECIFIC_0".
std::vector<std::string> bits_of(Command status, std::uint8_t value);

/// The status commands that STATUS_WORD points at, in the order of its bits, highest first.
std::vector<Command> details_of(std::uint16_t status_word);

}  // namespace firstlight::pmbus
