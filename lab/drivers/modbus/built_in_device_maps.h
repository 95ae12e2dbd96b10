#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace firstlight::modbus {

/// Name and text of every device map in lab/drivers/modbus/devices.
const std::vector<std::pair<std::string_view, std::string_view>>& built_in_device_maps();

}  // namespace firstlight::modbus
