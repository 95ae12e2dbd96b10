#include "lab/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace firstlight::cli {

std::string Style::paint(Colour colour, std::string_view text) const {
  static constexpr std::array<const char*, 7> kCodes = {"", "1", "2", "31", "32", "33", "36"};
  if (!colours || colour == Colour::plain) return std::string(text);
  return "\x1b[" + std::string(kCodes.at(static_cast<std::size_t>(colour))) + "m" + std::string(text) + "\x1b[0m";
}

std::string Style::paint(Verdict verdict, std::string_view text) const {
  switch (verdict) {
    case Verdict::pass:
      return paint(Colour::green, text);
    case Verdict::marginal:
      return paint(Colour::yellow, text);
    case Verdict::skip:
      return paint(Colour::dim, text);
    default:
      return paint(Colour::red, text);
  }
}

int terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

bool colours_wanted() {
  const char* no = std::getenv("NO_COLOR");
  if (no != nullptr && *no != '\0') return false;
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) != "dumb";
}

namespace {

bool continues_a_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

std::string printable(std::string_view text) {
  std::string clean;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x20U && c != 0x7f) {
      clean += c;
    } else if (c == '\n' || c == '\t') {
      clean += ' ';
    }
  }
  return clean;
}

/// The longest start of the text that is no wider than `width`.
std::size_t bytes_within(std::string_view text, int width) {
  int columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!continues_a_character(text[i]) && ++columns > width) return i;
  }
  return text.size();
}

}  // namespace

int display_width(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return !continues_a_character(c); }));
}

std::string padded(std::string_view text, int width) {
  std::string result(text);
  result.append(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
  return result;
}

std::string cut(std::string_view text, int width) {
  const std::string clean = printable(text);
  if (display_width(clean) <= width) return clean;
  return clean.substr(0, bytes_within(clean, std::max(0, width - 3))) + "...";
}

std::vector<std::string> wrapped(std::string_view text, int width) {
  const std::string clean = printable(text);
  std::string_view rest = clean;
  std::vector<std::string> lines;
  while (!rest.empty()) {
    std::size_t end = bytes_within(rest, std::max(1, width));
    if (end < rest.size()) {
      const std::size_t blank = rest.rfind(' ', end);
      if (blank != std::string_view::npos && blank > 0) end = blank;
    }
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

std::string_view short_name(Verdict verdict) {
  static constexpr std::array<std::string_view, 6> kNames = {"pass", "marg", "skip", "FAIL", "abrt", "ERR "};
  return kNames.at(static_cast<std::size_t>(verdict));
}

}  // namespace firstlight::cli
