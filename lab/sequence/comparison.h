#pragma once

#include <optional>

#include "lab/document/reader.h"

namespace firstlight {

/// Decides "true", "a == b", "800 mV < 1 V" (==, !=, <, <=, >, >=), parameters being replaced already. Quantities
/// compare by value, and only with their like; other texts know == and != only.
std::optional<bool> decide(const Reader& reader, const Place& place);

}  // namespace firstlight
