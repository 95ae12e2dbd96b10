#pragma once

#include <vector>

#include "lab/core/quantity.h"
#include "lab/drivers/pmbus/command.h"
#include "lab/drivers/pmbus/device.h"

namespace firstlight::pmbus {

/// One reading that parts offer.
struct Reading {
  const char* name;
  Command command;
  Dimension dimension;
  const char* doc;
};
/// input_voltage, output_voltage, input_current, output_current, input_power, output_power, temperature.
const std::vector<Reading>& readings();

/// Reads one. A temperature that no part survives is a failure (infrastructure) and no value.
Quantity read_now(Device& device, int page, const Reading& reading);
/// The same check for who reads it otherwise.
Temperature plausible_temperature(double celsius, const std::string& part);

}  // namespace firstlight::pmbus
