#include "tests/corpus/expectation.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace firstlight {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string place_of(const Diagnostic& diagnostic, const std::string& main_file) {
  const std::string place = fmt::format("{}:{}", diagnostic.where.line, diagnostic.where.column);
  if (diagnostic.where.file == main_file) return place;
  return std::filesystem::path(diagnostic.where.file).filename().string() + ':' + place;
}

ExpectedDiagnostic read_line(const std::string& line) {
  ExpectedDiagnostic out;
  const auto arrow = line.rfind(" => ");
  if (arrow != std::string::npos) out.suggestion = trimmed(line.substr(arrow + 4));
  const std::string left = line.substr(0, arrow);
  // The place ends at the first space after its last digit; `--set name` holds a space of its own.
  const auto colon = left.find(':', left.find(':') == std::string::npos ? 0 : left.find_first_of("0123456789"));
  const auto space = left.find(' ', colon);
  out.place = left.substr(0, space);
  for (std::size_t begin = space; begin < left.size();) {
    const auto bar = std::min(left.find(" | ", begin), left.size());
    out.phrases.push_back(trimmed(left.substr(begin, bar - begin)));
    begin = bar + 3;
  }
  if (out.phrases.empty()) throw std::runtime_error("a line without a phrase: " + line);
  return out;
}

void read_directive(const std::string& line, Expectation& out) {
  if (line == "! no-bench") {
    out.with_bench = false;
  } else if (line == "! schema") {
    out.schema = true;
  } else if (line.rfind("! bench ", 0) == 0) {
    out.bench = line.substr(8);
  } else if (line.rfind("! set ", 0) == 0) {
    const auto equals = line.find('=');
    out.set.emplace_back(line.substr(6, equals - 6), line.substr(equals + 1));
  } else {
    throw std::runtime_error("an unknown directive: " + line);
  }
}

}  // namespace

Expectation read_expectation(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error("there is no " + path);
  Expectation out;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '!') {
      read_directive(line, out);
    } else {
      out.diagnostics.push_back(read_line(line));
    }
  }
  return out;
}

std::string as_expectation(const Diagnostic& diagnostic, const std::string& main_file) {
  std::string line = place_of(diagnostic, main_file) + ' ' + diagnostic.message;
  if (!diagnostic.suggestion.empty()) line += " => " + diagnostic.suggestion;
  return line;
}

std::string difference(const Diagnostic& found, const ExpectedDiagnostic& expected, const std::string& main_file) {
  if (place_of(found, main_file) != expected.place) return "another place than " + expected.place;
  for (const std::string& phrase : expected.phrases)
    if (found.message.find(phrase) == std::string::npos) return "the message lacks: " + phrase;
  if (found.suggestion != expected.suggestion)
    return fmt::format("another suggestion than \"{}\"", expected.suggestion);
  return {};
}

}  // namespace firstlight
