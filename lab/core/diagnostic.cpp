#include "lab/core/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace firstlight {
namespace {

std::string_view line_of(std::string_view text, int line) {
  for (int i = 1; i < line; ++i) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  auto out = text.substr(0, text.find('\n'));
  if (!out.empty() && out.back() == '\r') out.remove_suffix(1);
  return out;
}

auto key(const Diagnostic& d) { return std::tie(d.where.file, d.where.line, d.where.column, d.message); }

}  // namespace

void Diagnostics::add(const SourceLocation& where, std::string message, std::string suggestion, std::string path) {
  Diagnostic diagnostic;
  diagnostic.where = where;
  diagnostic.message = std::move(message);
  diagnostic.suggestion = std::move(suggestion);
  diagnostic.path = std::move(path);
  list_.push_back(std::move(diagnostic));
}

void Diagnostics::sort() {
  std::stable_sort(list_.begin(), list_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
  list_.erase(std::unique(list_.begin(), list_.end(),
                          [](const Diagnostic& a, const Diagnostic& b) { return key(a) == key(b); }),
              list_.end());
}

std::string to_text(const Diagnostic& diagnostic, std::string_view file_text) {
  const SourceLocation& at = diagnostic.where;
  std::string out = at.file;
  if (at.line > 0) out += fmt::format(":{}", at.line);
  if (at.line > 0 && at.column > 0) out += fmt::format(":{}", at.column);
  out += fmt::format(": error: {}\n", diagnostic.message);
  const std::string_view line = at.line > 0 ? line_of(file_text, at.line) : std::string_view();
  if (!line.empty() && line.size() <= 400 && at.column > 0) {
    std::string pad;
    for (int i = 1; i < at.column && static_cast<std::size_t>(i) <= line.size(); ++i)
      pad += line[static_cast<std::size_t>(i) - 1] == '\t' ? '\t' : ' ';
    out += fmt::format("  {:>4} | {}\n       | {}^\n", at.line, line, pad);
  }
  if (!diagnostic.suggestion.empty()) out += fmt::format("       did you mean: {}\n", diagnostic.suggestion);
  return out;
}

}  // namespace firstlight
