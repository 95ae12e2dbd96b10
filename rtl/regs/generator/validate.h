#pragma once

#include "rtl/regs/generator/description.h"
#include "rtl/regs/generator/diagnostics.h"

namespace regtool {

/// What no single value shows: doubled names, overlaps, alignment, ranges that leave their window.
void validate_block(const Block& block, Diagnostics& diagnostics);
void validate_design(const Design& design, Diagnostics& diagnostics);

}  // namespace regtool
