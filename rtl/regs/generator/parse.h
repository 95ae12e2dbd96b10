#pragma once

#include <string>

#include "rtl/regs/generator/description.h"
#include "rtl/regs/generator/diagnostics.h"

namespace regtool {

/// YAML text to a block; everything that is wrong with the text is reported and the rest is read on. `file` names it in
/// errors.
Block parse_block(const std::string& text, const std::string& file, Diagnostics& diagnostics);
/// YAML text of the map, in the same way.
Map parse_map(const std::string& text, const std::string& file, Diagnostics& diagnostics);

}  // namespace regtool
