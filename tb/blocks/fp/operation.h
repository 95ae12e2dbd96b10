#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tb/blocks/fp/fp_model.h"
#include "tb/blocks/fp/post_model.h"

namespace tb::blocks::fp {

/// What is wrong with a line, and where: column 1 is its first character.
struct BadLine : std::runtime_error {
  BadLine(std::size_t where, const std::string& what) : runtime_error(what), column(where) {}
  std::size_t column;
};

/// The RTL that lines are evaluated on.
struct Rtl {
  FpModel fp;
  PostModel post;
};

/// The operations, one a line, as `--help` shows them.
std::string_view operations_help();

/// True when nothing but a comment stands on the line.
bool is_blank(std::string_view line);

/// Evaluates one line on the RTL: result and flags, as `--help` describes them. Throws BadLine.
std::string evaluate(Rtl& rtl, std::string_view line);

}  // namespace tb::blocks::fp
