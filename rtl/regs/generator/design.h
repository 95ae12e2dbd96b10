#pragma once

#include <string>
#include <vector>

#include "rtl/regs/generator/description.h"
#include "rtl/regs/generator/diagnostics.h"

namespace regtool {

struct SourceText {
  std::string file;  // as errors name it
  std::string text;
};

/// Parses and validates the map and its blocks. The result is fit for the emitters only when `diagnostics` stayed
/// empty. Blocks of the map without a description are left out; a description that the map does not place is an error.
Design read_design(const SourceText& map, const std::vector<SourceText>& blocks, Diagnostics& diagnostics);

}  // namespace regtool
