#pragma once

#include <string>
#include <vector>

#include "rtl/regs/generator/description.h"

namespace regtool {

/// "lane_errors" to "LaneErrors".
std::string camel(const std::string& snake);
/// "lane_errors" to "LANE_ERRORS".
std::string upper(const std::string& snake);
/// "rw", "ro", ... as the description spells it.
std::string access_name(Access access);
std::string domain_name(Domain domain);
/// Contents of a C, C++ or SystemVerilog string literal.
std::string escaped(const std::string& text);
/// One line, for a comment.
std::string one_line(const std::string& text);
/// "7" or "7:4".
std::string bit_range(const Field& field);

/// What the two structs hold of a register.
bool reaches_hardware(const Register& reg);
bool comes_from_hardware(const Register& reg);
bool reaches_hardware(const Block& block);
bool comes_from_hardware(const Block& block);

/// One element of a register: its SystemVerilog path within the structs ("lane_errors[2]") and its offset.
struct Element {
  const Register* reg;
  std::uint32_t index;
  std::uint32_t offset;
  std::string path;
};
std::vector<Element> elements_of(const Register& reg);

}  // namespace regtool
