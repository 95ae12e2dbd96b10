#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace firstlight {

/// The known name that `found` was most probably meant to be (edit distance, case folded; otherwise one that it
/// abbreviates or that it begins with), or an empty string when none is near.
std::string nearest_name(std::string_view found, const std::vector<std::string>& known);

}  // namespace firstlight
