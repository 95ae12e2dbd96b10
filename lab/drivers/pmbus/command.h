#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace firstlight::pmbus {

/// Command codes, PMBus 1.3 part II, appendix I.
enum class Command : std::uint8_t {
  PAGE = 0x00,
  OPERATION = 0x01,
  ON_OFF_CONFIG = 0x02,
  CLEAR_FAULTS = 0x03,
  WRITE_PROTECT = 0x10,
  CAPABILITY = 0x19,
  QUERY = 0x1a,
  VOUT_MODE = 0x20,
  VOUT_COMMAND = 0x21,
  VOUT_TRIM = 0x22,
  VOUT_CAL_OFFSET = 0x23,
  VOUT_MAX = 0x24,
  VOUT_MARGIN_HIGH = 0x25,
  VOUT_MARGIN_LOW = 0x26,
  VOUT_TRANSITION_RATE = 0x27,
  VOUT_MIN = 0x2b,
  COEFFICIENTS = 0x30,
  VIN_ON = 0x35,
  VIN_OFF = 0x36,
  VOUT_OV_FAULT_LIMIT = 0x40,
  VOUT_OV_WARN_LIMIT = 0x42,
  VOUT_UV_WARN_LIMIT = 0x43,
  VOUT_UV_FAULT_LIMIT = 0x44,
  IOUT_OC_FAULT_LIMIT = 0x46,
  IOUT_OC_WARN_LIMIT = 0x4a,
  OT_FAULT_LIMIT = 0x4f,
  OT_WARN_LIMIT = 0x51,
  VIN_OV_FAULT_LIMIT = 0x55,
  VIN_OV_WARN_LIMIT = 0x57,
  VIN_UV_WARN_LIMIT = 0x58,
  VIN_UV_FAULT_LIMIT = 0x59,
  IIN_OC_FAULT_LIMIT = 0x5b,
  IIN_OC_WARN_LIMIT = 0x5d,
  POWER_GOOD_ON = 0x5e,
  TON_DELAY = 0x60,
  TON_RISE = 0x61,
  TON_MAX_FAULT_LIMIT = 0x62,
  TOFF_DELAY = 0x64,
  TOFF_FALL = 0x65,
  POUT_OP_WARN_LIMIT = 0x6a,
  PIN_OP_WARN_LIMIT = 0x6b,
  STATUS_BYTE = 0x78,
  STATUS_WORD = 0x79,
  STATUS_VOUT = 0x7a,
  STATUS_IOUT = 0x7b,
  STATUS_INPUT = 0x7c,
  STATUS_TEMPERATURE = 0x7d,
  STATUS_CML = 0x7e,
  STATUS_OTHER = 0x7f,
  STATUS_MFR_SPECIFIC = 0x80,
  READ_VIN = 0x88,
  READ_IIN = 0x89,
  READ_VOUT = 0x8b,
  READ_IOUT = 0x8c,
  READ_TEMPERATURE_1 = 0x8d,
  READ_TEMPERATURE_2 = 0x8e,
  READ_TEMPERATURE_3 = 0x8f,
  READ_POUT = 0x96,
  READ_PIN = 0x97,
  PMBUS_REVISION = 0x98,
  MFR_ID = 0x99,
  MFR_MODEL = 0x9a,
  MFR_REVISION = 0x9b,
  MFR_SERIAL = 0x9e,
  IC_DEVICE_ID = 0xad,
  IC_DEVICE_REV = 0xae,
};

/// "VOUT_COMMAND", or "command 0xd0" for one without a name here.
std::string name_of(Command command);
/// The other way round; "0xd0" stands for a command without a name. Nothing for what is no command.
std::optional<Command> command_of(const std::string& name);
/// The names that `command_of` knows, for messages.
std::vector<std::string> command_names();

constexpr std::uint8_t code_of(Command command) { return static_cast<std::uint8_t>(command); }

/// OPERATION, PMBus 1.3 part II, 12.1.
inline constexpr std::uint8_t kOperationOff = 0x00;
inline constexpr std::uint8_t kOperationSoftOff = 0x40;  // ramps down with TOFF_DELAY and TOFF_FALL
inline constexpr std::uint8_t kOperationOn = 0x80;
inline constexpr std::uint8_t kOperationMarginLow = 0x98;   // faults acted on
inline constexpr std::uint8_t kOperationMarginHigh = 0xa8;  // faults acted on

}  // namespace firstlight::pmbus
