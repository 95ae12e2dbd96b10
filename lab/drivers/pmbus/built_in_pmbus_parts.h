#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace firstlight::pmbus {

/// Name and YAML text of each file in lab/drivers/pmbus/devices; generated when the project is configured.
const std::vector<std::pair<std::string_view, std::string_view>>& built_in_pmbus_parts();

}  // namespace firstlight::pmbus
