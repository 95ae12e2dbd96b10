#include "tb/instruments/pmbus_commands.h"

#include <algorithm>
#include <array>

namespace tb::instruments::pmbus {

namespace {

constexpr std::array kCommands = {
    CommandInfo{Command::PAGE, Shape::byte, Access::both, Content::device},
    CommandInfo{Command::OPERATION, Shape::byte, Access::both, Content::raw},
    CommandInfo{Command::ON_OFF_CONFIG, Shape::byte, Access::both, Content::raw},
    CommandInfo{Command::CLEAR_FAULTS, Shape::send, Access::write, Content::raw},
    CommandInfo{Command::WRITE_PROTECT, Shape::byte, Access::both, Content::device},
    CommandInfo{Command::CAPABILITY, Shape::byte, Access::read, Content::device},
    CommandInfo{Command::VOUT_MODE, Shape::byte, Access::read, Content::device},
    CommandInfo{Command::VOUT_COMMAND, Shape::word, Access::both, Content::vout},
    CommandInfo{Command::VOUT_TRIM, Shape::word, Access::both, Content::trim},
    CommandInfo{Command::VOUT_CAL_OFFSET, Shape::word, Access::both, Content::trim},
    CommandInfo{Command::VOUT_MAX, Shape::word, Access::both, Content::vout},
    CommandInfo{Command::VOUT_MARGIN_HIGH, Shape::word, Access::both, Content::vout_limit},
    CommandInfo{Command::VOUT_MARGIN_LOW, Shape::word, Access::both, Content::vout_limit},
    CommandInfo{Command::VOUT_TRANSITION_RATE, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::VIN_ON, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::VIN_OFF, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::VOUT_OV_FAULT_LIMIT, Shape::word, Access::both, Content::vout_limit},
    CommandInfo{Command::VOUT_OV_FAULT_RESPONSE, Shape::byte, Access::both, Content::raw},
    CommandInfo{Command::VOUT_OV_WARN_LIMIT, Shape::word, Access::both, Content::vout_limit},
    CommandInfo{Command::VOUT_UV_WARN_LIMIT, Shape::word, Access::both, Content::vout_limit},
    CommandInfo{Command::VOUT_UV_FAULT_LIMIT, Shape::word, Access::both, Content::vout_limit},
    CommandInfo{Command::VOUT_UV_FAULT_RESPONSE, Shape::byte, Access::both, Content::raw},
    CommandInfo{Command::IOUT_OC_FAULT_LIMIT, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::IOUT_OC_FAULT_RESPONSE, Shape::byte, Access::both, Content::raw},
    CommandInfo{Command::IOUT_OC_WARN_LIMIT, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::OT_FAULT_LIMIT, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::OT_FAULT_RESPONSE, Shape::byte, Access::both, Content::raw},
    CommandInfo{Command::OT_WARN_LIMIT, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::VIN_UV_WARN_LIMIT, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::POWER_GOOD_ON, Shape::word, Access::both, Content::vout_limit},
    CommandInfo{Command::POWER_GOOD_OFF, Shape::word, Access::both, Content::vout_limit},
    CommandInfo{Command::TON_DELAY, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::TON_RISE, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::TON_MAX_FAULT_LIMIT, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::TON_MAX_FAULT_RESPONSE, Shape::byte, Access::both, Content::raw},
    CommandInfo{Command::TOFF_DELAY, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::TOFF_FALL, Shape::word, Access::both, Content::linear},
    CommandInfo{Command::STATUS_BYTE, Shape::byte, Access::read, Content::measurement},
    CommandInfo{Command::STATUS_WORD, Shape::word, Access::read, Content::measurement},
    CommandInfo{Command::STATUS_VOUT, Shape::byte, Access::both, Content::status},
    CommandInfo{Command::STATUS_IOUT, Shape::byte, Access::both, Content::status},
    CommandInfo{Command::STATUS_INPUT, Shape::byte, Access::both, Content::status},
    CommandInfo{Command::STATUS_TEMPERATURE, Shape::byte, Access::both, Content::status},
    CommandInfo{Command::STATUS_CML, Shape::byte, Access::both, Content::status},
    CommandInfo{Command::STATUS_MFR_SPECIFIC, Shape::byte, Access::both, Content::status},
    CommandInfo{Command::READ_VIN, Shape::word, Access::read, Content::measurement},
    CommandInfo{Command::READ_IIN, Shape::word, Access::read, Content::measurement},
    CommandInfo{Command::READ_VOUT, Shape::word, Access::read, Content::measurement},
    CommandInfo{Command::READ_IOUT, Shape::word, Access::read, Content::measurement},
    CommandInfo{Command::READ_TEMPERATURE_1, Shape::word, Access::read, Content::measurement},
    CommandInfo{Command::READ_POUT, Shape::word, Access::read, Content::measurement},
    CommandInfo{Command::READ_PIN, Shape::word, Access::read, Content::measurement},
    CommandInfo{Command::PMBUS_REVISION, Shape::byte, Access::read, Content::device},
    CommandInfo{Command::MFR_ID, Shape::block, Access::read, Content::text},
    CommandInfo{Command::MFR_MODEL, Shape::block, Access::read, Content::text},
    CommandInfo{Command::MFR_REVISION, Shape::block, Access::read, Content::text},
    CommandInfo{Command::MFR_SERIAL, Shape::block, Access::read, Content::text},
    CommandInfo{Command::MFR_VOUT_PEAK, Shape::word, Access::read, Content::measurement},
    CommandInfo{Command::MFR_CLEAR_PEAKS, Shape::send, Access::write, Content::raw},
    CommandInfo{Command::MFR_VOUT_MIN, Shape::word, Access::read, Content::measurement},
};

}  // namespace

std::optional<CommandInfo> command_info(std::uint8_t code) {
  const auto* found = std::find_if(kCommands.begin(), kCommands.end(), [code](const CommandInfo& info) {
    return static_cast<std::uint8_t>(info.command) == code;
  });
  if (found == kCommands.end()) return std::nullopt;
  return *found;
}

}  // namespace tb::instruments::pmbus
