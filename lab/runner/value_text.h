#pragma once

#include <string>

#include "lab/core/value.h"

namespace firstlight {

/// The value as one would write it in YAML, on one line: `850 mV`, `[0, 2]`, `vdd_core`.
std::string to_text(const Value& value);

}  // namespace firstlight
