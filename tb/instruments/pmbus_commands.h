#pragma once

#include <cstdint>
#include <optional>

namespace tb::instruments::pmbus {

/// PMBus command codes (PMBus 1.3 part II, appendix I) that the regulator knows. Those of the manufacturer are where
/// LTC297x and LTC388x have theirs.
enum class Command : std::uint8_t {
  PAGE = 0x00,
  OPERATION = 0x01,
  ON_OFF_CONFIG = 0x02,
  CLEAR_FAULTS = 0x03,
  WRITE_PROTECT = 0x10,
  CAPABILITY = 0x19,
  VOUT_MODE = 0x20,
  VOUT_COMMAND = 0x21,
  VOUT_TRIM = 0x22,
  VOUT_CAL_OFFSET = 0x23,
  VOUT_MAX = 0x24,
  VOUT_MARGIN_HIGH = 0x25,
  VOUT_MARGIN_LOW = 0x26,
  VOUT_TRANSITION_RATE = 0x27,
  VIN_ON = 0x35,
  VIN_OFF = 0x36,
  VOUT_OV_FAULT_LIMIT = 0x40,
  VOUT_OV_FAULT_RESPONSE = 0x41,
  VOUT_OV_WARN_LIMIT = 0x42,
  VOUT_UV_WARN_LIMIT = 0x43,
  VOUT_UV_FAULT_LIMIT = 0x44,
  VOUT_UV_FAULT_RESPONSE = 0x45,
  IOUT_OC_FAULT_LIMIT = 0x46,
  IOUT_OC_FAULT_RESPONSE = 0x47,
  IOUT_OC_WARN_LIMIT = 0x4a,
  OT_FAULT_LIMIT = 0x4f,
  OT_FAULT_RESPONSE = 0x50,
  OT_WARN_LIMIT = 0x51,
  VIN_UV_WARN_LIMIT = 0x58,
  POWER_GOOD_ON = 0x5e,
  POWER_GOOD_OFF = 0x5f,
  TON_DELAY = 0x60,
  TON_RISE = 0x61,
  TON_MAX_FAULT_LIMIT = 0x62,
  TON_MAX_FAULT_RESPONSE = 0x63,
  TOFF_DELAY = 0x64,
  TOFF_FALL = 0x65,
  STATUS_BYTE = 0x78,
  STATUS_WORD = 0x79,
  STATUS_VOUT = 0x7a,
  STATUS_IOUT = 0x7b,
  STATUS_INPUT = 0x7c,
  STATUS_TEMPERATURE = 0x7d,
  STATUS_CML = 0x7e,
  STATUS_MFR_SPECIFIC = 0x80,
  READ_VIN = 0x88,
  READ_IIN = 0x89,
  READ_VOUT = 0x8b,
  READ_IOUT = 0x8c,
  READ_TEMPERATURE_1 = 0x8d,
  READ_POUT = 0x96,
  READ_PIN = 0x97,
  PMBUS_REVISION = 0x98,
  MFR_ID = 0x99,
  MFR_MODEL = 0x9a,
  MFR_REVISION = 0x9b,
  MFR_SERIAL = 0x9e,
  MFR_VOUT_PEAK = 0xdd,
  MFR_CLEAR_PEAKS = 0xe3,
  MFR_VOUT_MIN = 0xfb,
};

/// What follows the command code on the wire.
enum class Shape : std::uint8_t { send, byte, word, block };
enum class Access : std::uint8_t { read, write, both };
/// Where the value lives, and what it means.
enum class Content : std::uint8_t {
  device,       // one a device
  raw,          // bits, one a page
  vout,         // ULINEAR16, one a page
  vout_limit,   // ULINEAR16, one a page; follows VOUT_COMMAND in proportion until it is written
  trim,         // signed, in steps of VOUT_COMMAND, one a page; added to what the output is set to
  linear,       // LINEAR11, one a page
  status,       // latched bits, one a page; write 1 to clear
  measurement,  // worked out when read
  text,         // a block, one a device
};

struct CommandInfo {
  Command command;
  Shape shape;
  Access access;
  Content content;
};

/// Nothing for a command that the regulator does not have.
std::optional<CommandInfo> command_info(std::uint8_t code);

namespace status {
// STATUS_WORD (PMBus 1.3 part II, 17.2)
inline constexpr std::uint16_t kNoneOfTheAbove = 1U << 0U;
inline constexpr std::uint16_t kCml = 1U << 1U;
inline constexpr std::uint16_t kTemperature = 1U << 2U;
inline constexpr std::uint16_t kVinUv = 1U << 3U;
inline constexpr std::uint16_t kIoutOc = 1U << 4U;
inline constexpr std::uint16_t kVoutOv = 1U << 5U;
inline constexpr std::uint16_t kOff = 1U << 6U;
inline constexpr std::uint16_t kPowerGoodN = 1U << 11U;
inline constexpr std::uint16_t kMfr = 1U << 12U;
inline constexpr std::uint16_t kInput = 1U << 13U;
inline constexpr std::uint16_t kIout = 1U << 14U;
inline constexpr std::uint16_t kVout = 1U << 15U;
// STATUS_VOUT (17.3)
inline constexpr std::uint8_t kVoutOvFault = 1U << 7U;
inline constexpr std::uint8_t kVoutOvWarn = 1U << 6U;
inline constexpr std::uint8_t kVoutUvWarn = 1U << 5U;
inline constexpr std::uint8_t kVoutUvFault = 1U << 4U;
inline constexpr std::uint8_t kVoutMaxWarn = 1U << 3U;
inline constexpr std::uint8_t kTonMaxFault = 1U << 2U;
// STATUS_IOUT (17.4)
inline constexpr std::uint8_t kIoutOcFault = 1U << 7U;
inline constexpr std::uint8_t kIoutOcWarn = 1U << 5U;
// STATUS_INPUT (17.5)
inline constexpr std::uint8_t kVinUvWarn = 1U << 5U;
inline constexpr std::uint8_t kVinUvFault = 1U << 4U;
inline constexpr std::uint8_t kVinOff = 1U << 3U;
// STATUS_TEMPERATURE (17.6)
inline constexpr std::uint8_t kOtFault = 1U << 7U;
inline constexpr std::uint8_t kOtWarn = 1U << 6U;
// STATUS_CML (17.7)
inline constexpr std::uint8_t kInvalidCommand = 1U << 7U;
inline constexpr std::uint8_t kInvalidData = 1U << 6U;
inline constexpr std::uint8_t kPecFailed = 1U << 5U;
inline constexpr std::uint8_t kOtherCommunication = 1U << 1U;
// STATUS_MFR_SPECIFIC: of this family of regulators
inline constexpr std::uint8_t kTripPin = 1U << 0U;
}  // namespace status

}  // namespace tb::instruments::pmbus
