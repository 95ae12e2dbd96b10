#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace firstlight::replay {

/// "8b 00 f1 ...": two dozen bytes at the most; "nothing" for none.
std::string hex(const std::vector<std::uint8_t>& bytes, std::size_t from = 0);

}  // namespace firstlight::replay
