#include "lab/drivers/pmbus/status.h"

#include <fmt/format.h>

#include <array>

namespace firstlight::pmbus {

namespace {

using Names = std::array<const char*, 8>;  // bit 7 first

constexpr Names kVout = {"VOUT_OV_FAULT",        "VOUT_OV_WARNING", "VOUT_UV_WARNING",  "VOUT_UV_FAULT",
                         "VOUT_MAX_MIN_WARNING", "TON_MAX_FAULT",   "TOFF_MAX_WARNING", "VOUT_TRACKING_ERROR"};
constexpr Names kIout = {"IOUT_OC_FAULT",       "IOUT_OC_LV_FAULT", "IOUT_OC_WARNING", "IOUT_UC_FAULT",
                         "CURRENT_SHARE_FAULT", "POWER_LIMITING",   "POUT_OP_FAULT",   "POUT_OP_WARNING"};
constexpr Names kInput = {"VIN_OV_FAULT",         "VIN_OV_WARNING", "VIN_UV_WARNING", "VIN_UV_FAULT",
                          "UNIT_OFF_FOR_LOW_VIN", "IIN_OC_FAULT",   "IIN_OC_WARNING", "PIN_OP_WARNING"};
constexpr Names kTemperature = {"OT_FAULT",   "OT_WARNING", "UT_WARNING", "UT_FAULT",
                                "RESERVED_3", "RESERVED_2", "RESERVED_1", "RESERVED_0"};
constexpr Names kCml = {"INVALID_COMMAND", "INVALID_DATA", "PEC_FAILED",          "MEMORY_FAULT",
                        "PROCESSOR_FAULT", "RESERVED_2",   "OTHER_COMMUNICATION", "OTHER_MEMORY_OR_LOGIC"};

const Names* names_for(Command status) {
  switch (status) {
    case Command::STATUS_VOUT:
      return &kVout;
    case Command::STATUS_IOUT:
      return &kIout;
    case Command::STATUS_INPUT:
      return &kInput;
    case Command::STATUS_TEMPERATURE:
      return &kTemperature;
    case Command::STATUS_CML:
      return &kCml;
    default:
      return nullptr;
  }
}

}  // namespace

std::vector<std::string> bits_of(Command status, std::uint8_t value) {
  const Names* names = names_for(status);
  const char* prefix = status == Command::STATUS_MFR_SPECIFIC ? "MFR_SPECIFIC" : "OTHER";
  std::vector<std::string> set;
  for (unsigned bit = 8; bit-- > 0;) {
    if ((value >> bit & 1U) == 0) continue;
    set.push_back(names != nullptr ? (*names)[7 - bit] : fmt::format("{}_{}", prefix, bit));
  }
  return set;
}

std::vector<Command> details_of(std::uint16_t word) {
  std::vector<Command> details;
  if ((word & kStatusVout) != 0) details.push_back(Command::STATUS_VOUT);
  if ((word & kStatusIout) != 0) details.push_back(Command::STATUS_IOUT);
  if ((word & kStatusInput) != 0) details.push_back(Command::STATUS_INPUT);
  if ((word & kStatusMfr) != 0) details.push_back(Command::STATUS_MFR_SPECIFIC);
  if ((word & kStatusOther) != 0) details.push_back(Command::STATUS_OTHER);
  if ((word & kStatusTemperature) != 0) details.push_back(Command::STATUS_TEMPERATURE);
  if ((word & kStatusCml) != 0) details.push_back(Command::STATUS_CML);
  return details;
}

}  // namespace firstlight::pmbus
