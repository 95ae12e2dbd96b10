#pragma once

#include "tb/golden/fp/formats.h"

namespace tb::golden::fp {

/// Any format to fp32, exactly (docs/arithmetic.md, "Widening").
Result widen(Format format, std::uint32_t code);

}  // namespace tb::golden::fp
