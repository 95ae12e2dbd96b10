#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/core/verdict.h"

namespace firstlight::cli {

enum class Colour { plain, bold, dim, red, green, yellow, cyan };

/// How to write for whoever reads: with colours or without, and how wide.
struct Style {
  bool colours = false;
  int width = 80;

  std::string paint(Colour colour, std::string_view text) const;
  std::string paint(Verdict verdict, std::string_view text) const;
};

/// Columns of the terminal, 80 where unknown.
int terminal_width();
/// False when NO_COLOR is set (to anything but nothing) or the terminal is a dumb one.
bool colours_wanted();

/// The text in lines no wider than `width`, broken at blanks where possible. Control characters are dropped.
std::vector<std::string> wrapped(std::string_view text, int width);
/// Cut to the width, with "..." where something was cut off.
std::string cut(std::string_view text, int width);
/// Width on a terminal: characters of UTF-8, not bytes.
int display_width(std::string_view text);
/// `text` and blanks up to the width.
std::string padded(std::string_view text, int width);

/// "pass", "FAIL", ...: four letters.
std::string_view short_name(Verdict verdict);

}  // namespace firstlight::cli
