#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace firstlight::scpi {

/// Name and YAML text of each file in lab/drivers/personalities; generated when the project is configured.
const std::vector<std::pair<std::string_view, std::string_view>>& built_in_personalities();

}  // namespace firstlight::scpi
