#include "lab/drivers/pmbus/command.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace firstlight::pmbus {

namespace {

struct Named {
  Command command;
  const char* name;
};

constexpr Named kNames[] = {
    {Command::PAGE, "PAGE"},
    {Command::OPERATION, "OPERATION"},
    {Command::ON_OFF_CONFIG, "ON_OFF_CONFIG"},
    {Command::CLEAR_FAULTS, "CLEAR_FAULTS"},
    {Command::WRITE_PROTECT, "WRITE_PROTECT"},
    {Command::CAPABILITY, "CAPABILITY"},
    {Command::QUERY, "QUERY"},
    {Command::VOUT_MODE, "VOUT_MODE"},
    {Command::VOUT_COMMAND, "VOUT_COMMAND"},
    {Command::VOUT_TRIM, "VOUT_TRIM"},
    {Command::VOUT_CAL_OFFSET, "VOUT_CAL_OFFSET"},
    {Command::VOUT_MAX, "VOUT_MAX"},
    {Command::VOUT_MARGIN_HIGH, "VOUT_MARGIN_HIGH"},
    {Command::VOUT_MARGIN_LOW, "VOUT_MARGIN_LOW"},
    {Command::VOUT_TRANSITION_RATE, "VOUT_TRANSITION_RATE"},
    {Command::VOUT_MIN, "VOUT_MIN"},
    {Command::COEFFICIENTS, "COEFFICIENTS"},
    {Command::VIN_ON, "VIN_ON"},
    {Command::VIN_OFF, "VIN_OFF"},
    {Command::VOUT_OV_FAULT_LIMIT, "VOUT_OV_FAULT_LIMIT"},
    {Command::VOUT_OV_WARN_LIMIT, "VOUT_OV_WARN_LIMIT"},
    {Command::VOUT_UV_WARN_LIMIT, "VOUT_UV_WARN_LIMIT"},
    {Command::VOUT_UV_FAULT_LIMIT, "VOUT_UV_FAULT_LIMIT"},
    {Command::IOUT_OC_FAULT_LIMIT, "IOUT_OC_FAULT_LIMIT"},
    {Command::IOUT_OC_WARN_LIMIT, "IOUT_OC_WARN_LIMIT"},
    {Command::OT_FAULT_LIMIT, "OT_FAULT_LIMIT"},
    {Command::OT_WARN_LIMIT, "OT_WARN_LIMIT"},
    {Command::VIN_OV_FAULT_LIMIT, "VIN_OV_FAULT_LIMIT"},
    {Command::VIN_OV_WARN_LIMIT, "VIN_OV_WARN_LIMIT"},
    {Command::VIN_UV_WARN_LIMIT, "VIN_UV_WARN_LIMIT"},
    {Command::VIN_UV_FAULT_LIMIT, "VIN_UV_FAULT_LIMIT"},
    {Command::IIN_OC_FAULT_LIMIT, "IIN_OC_FAULT_LIMIT"},
    {Command::IIN_OC_WARN_LIMIT, "IIN_OC_WARN_LIMIT"},
    {Command::POWER_GOOD_ON, "POWER_GOOD_ON"},
    {Command::TON_DELAY, "TON_DELAY"},
    {Command::TON_RISE, "TON_RISE"},
    {Command::TON_MAX_FAULT_LIMIT, "TON_MAX_FAULT_LIMIT"},
    {Command::TOFF_DELAY, "TOFF_DELAY"},
    {Command::TOFF_FALL, "TOFF_FALL"},
    {Command::POUT_OP_WARN_LIMIT, "POUT_OP_WARN_LIMIT"},
    {Command::PIN_OP_WARN_LIMIT, "PIN_OP_WARN_LIMIT"},
    {Command::STATUS_BYTE, "STATUS_BYTE"},
    {Command::STATUS_WORD, "STATUS_WORD"},
    {Command::STATUS_VOUT, "STATUS_VOUT"},
    {Command::STATUS_IOUT, "STATUS_IOUT"},
    {Command::STATUS_INPUT, "STATUS_INPUT"},
    {Command::STATUS_TEMPERATURE, "STATUS_TEMPERATURE"},
    {Command::STATUS_CML, "STATUS_CML"},
    {Command::STATUS_OTHER, "STATUS_OTHER"},
    {Command::STATUS_MFR_SPECIFIC, "STATUS_MFR_SPECIFIC"},
    {Command::READ_VIN, "READ_VIN"},
    {Command::READ_IIN, "READ_IIN"},
    {Command::READ_VOUT, "READ_VOUT"},
    {Command::READ_IOUT, "READ_IOUT"},
    {Command::READ_TEMPERATURE_1, "READ_TEMPERATURE_1"},
    {Command::READ_TEMPERATURE_2, "READ_TEMPERATURE_2"},
    {Command::READ_TEMPERATURE_3, "READ_TEMPERATURE_3"},
    {Command::READ_POUT, "READ_POUT"},
    {Command::READ_PIN, "READ_PIN"},
    {Command::PMBUS_REVISION, "PMBUS_REVISION"},
    {Command::MFR_ID, "MFR_ID"},
    {Command::MFR_MODEL, "MFR_MODEL"},
    {Command::MFR_REVISION, "MFR_REVISION"},
    {Command::MFR_SERIAL, "MFR_SERIAL"},
    {Command::IC_DEVICE_ID, "IC_DEVICE_ID"},
    {Command::IC_DEVICE_REV, "IC_DEVICE_REV"},
};

}  // namespace

std::string name_of(Command command) {
  for (const Named& named : kNames)
    if (named.command == command) return named.name;
  return fmt::format("command 0x{:02x}", code_of(command));
}

std::optional<Command> command_of(const std::string& name) {
  for (const Named& named : kNames)
    if (named.name == name) return named.command;
  unsigned code = 0;
  const char* const end = name.data() + name.size();
  if (name.size() != 4 || name.compare(0, 2, "0x") != 0) return std::nullopt;
  const auto [rest, error] = std::from_chars(name.data() + 2, end, code, 16);
  if (error != std::errc() || rest != end) return std::nullopt;
  return static_cast<Command>(code);
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Named& named : kNames) names.emplace_back(named.name);
  return names;
}

}  // namespace firstlight::pmbus
