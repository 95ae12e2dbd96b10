#include "lab/drivers/pmbus/command.h"

#include <fmt/format.h>

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
    {Command::VOUT_MODE, "VOUT_MODE"},
    {Command::VOUT_COMMAND, "VOUT_COMMAND"},
    {Command::VOUT_MAX, "VOUT_MAX"},
    {Command::VOUT_MARGIN_HIGH, "VOUT_MARGIN_HIGH"},
    {Command::VOUT_MARGIN_LOW, "VOUT_MARGIN_LOW"},
    {Command::VOUT_TRANSITION_RATE, "VOUT_TRANSITION_RATE"},
    {Command::VOUT_OV_FAULT_LIMIT, "VOUT_OV_FAULT_LIMIT"},
    {Command::VOUT_UV_FAULT_LIMIT, "VOUT_UV_FAULT_LIMIT"},
    {Command::IOUT_OC_FAULT_LIMIT, "IOUT_OC_FAULT_LIMIT"},
    {Command::POWER_GOOD_ON, "POWER_GOOD_ON"},
    {Command::TON_DELAY, "TON_DELAY"},
    {Command::TON_RISE, "TON_RISE"},
    {Command::TON_MAX_FAULT_LIMIT, "TON_MAX_FAULT_LIMIT"},
    {Command::TOFF_DELAY, "TOFF_DELAY"},
    {Command::TOFF_FALL, "TOFF_FALL"},
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
    {Command::READ_VOUT, "READ_VOUT"},
    {Command::READ_IOUT, "READ_IOUT"},
    {Command::READ_TEMPERATURE_1, "READ_TEMPERATURE_1"},
    {Command::READ_POUT, "READ_POUT"},
    {Command::PMBUS_REVISION, "PMBUS_REVISION"},
    {Command::MFR_ID, "MFR_ID"},
    {Command::MFR_MODEL, "MFR_MODEL"},
    {Command::MFR_REVISION, "MFR_REVISION"},
    {Command::MFR_SERIAL, "MFR_SERIAL"},
};

}  // namespace

std::string name_of(Command command) {
  for (const Named& named : kNames)
    if (named.command == command) return named.name;
  return fmt::format("command 0x{:02x}", code_of(command));
}

}  // namespace firstlight::pmbus
