#include "tb/instruments/scpi_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace tb::instruments::scpi {

using firstlight::Dimension;

namespace {

constexpr std::array<std::pair<int, std::string_view>, 20> kErrors = {{{0, "No error"},
                                                                       {-101, "Invalid character"},
                                                                       {-102, "Syntax error"},
                                                                       {-104, "Data type error"},
                                                                       {-108, "Parameter not allowed"},
                                                                       {-109, "Missing parameter"},
                                                                       {-113, "Undefined header"},
                                                                       {-131, "Invalid suffix"},
                                                                       {-138, "Suffix not allowed"},
                                                                       {-151, "Invalid string data"},
                                                                       {-171, "Invalid expression"},
                                                                       {-200, "Execution error"},
                                                                       {-221, "Settings conflict"},
                                                                       {-222, "Data out of range"},
                                                                       {-224, "Illegal parameter value"},
                                                                       {-230, "Data corrupt or stale"},
                                                                       {-240, "Hardware error"},
                                                                       {-350, "Queue overflow"},
                                                                       {-363, "Input buffer overrun"},
                                                                       {-410, "Query INTERRUPTED"}}};

char upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return upper(c); });
  return result;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Splits outside of quotes and parentheses.
std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  char quote = 0;
  int depth = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
  }
  if (quote != 0) throw Error(-151);
  for (std::string& part : parts) part = std::string(trim(part));
  return parts;
}

std::vector<std::string> words_of(std::string_view header) {
  std::vector<std::string> words(1);
  for (const char c : header)
    if (c == ':')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

struct Suffix {
  Dimension dimension;
  std::string_view text;
  double factor;
};
constexpr std::array<Suffix, 20> kSuffixes = {
    {{Dimension::voltage, "V", 1},       {Dimension::voltage, "MV", 1e-3},   {Dimension::voltage, "UV", 1e-6},
     {Dimension::voltage, "KV", 1e3},    {Dimension::current, "A", 1},       {Dimension::current, "MA", 1e-3},
     {Dimension::current, "UA", 1e-6},   {Dimension::power, "W", 1},         {Dimension::power, "MW", 1e-3},
     {Dimension::frequency, "HZ", 1},    {Dimension::frequency, "KHZ", 1e3}, {Dimension::frequency, "MHZ", 1e6},
     {Dimension::frequency, "GHZ", 1e9}, {Dimension::temperature, "CEL", 1}, {Dimension::temperature, "C", 1},
     {Dimension::flow, "LPM", 1},        {Dimension::flow, "L/MIN", 1},      {Dimension::time, "S", 1},
     {Dimension::time, "MS", 1e-3},      {Dimension::time, "US", 1e-6}}};

}  // namespace

std::string_view error_text(int code) {
  const auto* found = std::find_if(kErrors.begin(), kErrors.end(), [code](const auto& e) { return e.first == code; });
  return found == kErrors.end() ? std::string_view("Unknown error") : found->second;
}

Error::Error(int code, const std::string& detail)
    : std::runtime_error(detail.empty() ? std::string(error_text(code))
                                        : fmt::format("{};{}", error_text(code), detail)),
      code_(code) {}

std::vector<std::string> split_message(std::string_view message) { return split(message, ';'); }

Unit parse_unit(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) > 126 || (static_cast<unsigned char>(c) < 32 && c != '\t')) throw Error(-101);
  const std::string_view trimmed = trim(text);
  const auto space = trimmed.find_first_of(" \t");
  Unit unit;
  unit.header = upper(trimmed.substr(0, space));
  const auto legal = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ':' || c == '*' || c == '?' || c == '_';
  };
  if (!std::all_of(unit.header.begin(), unit.header.end(), legal)) throw Error(-101, unit.header);
  const auto question = unit.header.find('?');
  if (unit.header.empty() || (question != std::string::npos && question + 1 != unit.header.size()))
    throw Error(-102, unit.header);
  if (space == std::string_view::npos) return unit;
  unit.parameters = split(trim(trimmed.substr(space)), ',');
  for (const std::string& parameter : unit.parameters)
    if (parameter.empty()) throw Error(-102, unit.header);
  return unit;
}

Pattern::Pattern(std::string_view text) {
  query_ = !text.empty() && text.back() == '?';
  if (query_) text.remove_suffix(1);
  Node node;
  bool optional = false;
  const auto end_node = [&] {
    if (!node.full.empty()) nodes_.push_back(std::exchange(node, {}));
  };
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') {
      end_node();
      if (c != ':') optional = c == '[';
      continue;
    }
    node.optional = optional;
    node.full += upper(c);
    if (std::islower(static_cast<unsigned char>(c)) == 0) node.brief += c;
  }
  end_node();
}

bool Pattern::matches(std::string_view header) const {
  const bool query = !header.empty() && header.back() == '?';
  if (query != query_) return false;
  if (query) header.remove_suffix(1);
  return matches_from(0, words_of(header), 0);
}

bool Pattern::matches_from(std::size_t node, const std::vector<std::string>& words, std::size_t word) const {
  if (node == nodes_.size()) return word == words.size();
  if (word < words.size()) {
    std::string_view text = words[word];
    if (text.size() > 1 && text.back() == '1') text.remove_suffix(1);
    if ((text == nodes_[node].brief || text == nodes_[node].full) && matches_from(node + 1, words, word + 1))
      return true;
  }
  return nodes_[node].optional && matches_from(node + 1, words, word);
}

double parse_number(std::string_view text, Dimension dimension) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) throw Error(-104, std::string(text));
  const std::string suffix = upper(trim(text.substr(static_cast<std::size_t>(end - text.data()))));
  if (suffix.empty()) return value;
  if (dimension == Dimension::none) throw Error(-138, suffix);
  const auto* found = std::find_if(kSuffixes.begin(), kSuffixes.end(),
                                   [&](const Suffix& s) { return s.dimension == dimension && s.text == suffix; });
  if (found == kSuffixes.end()) throw Error(-131, suffix);
  return value * found->factor;
}

bool parse_boolean(std::string_view text) {
  const std::string word = upper(text);
  if (word == "ON") return true;
  if (word == "OFF") return false;
  return std::lround(parse_number(text, Dimension::none)) != 0;
}

std::vector<int> parse_channels(std::string_view text) {
  const auto bad = [&] { return Error(-171, std::string(text)); };
  if (text.size() < 4 || text.substr(0, 2) != "(@" || text.back() != ')') throw bad();
  const auto integer = [&](std::string_view word) {
    word = trim(word);
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 0 || value > 9999) throw bad();
    return value;
  };
  std::vector<int> channels;
  for (const std::string& part : split(text.substr(2, text.size() - 3), ',')) {
    const auto colon = part.find(':');
    const int first = integer(std::string_view(part).substr(0, colon));
    const int last = colon == std::string::npos ? first : integer(std::string_view(part).substr(colon + 1));
    const int step = last < first ? -1 : 1;
    for (int channel = first; channel != last + step; channel += step) channels.push_back(channel);
  }
  return channels;
}

std::string format_number(double value, int digits) {
  if (std::isnan(value)) return "9.91E37";
  return fmt::format("{:+.{}E}", value, digits);
}

}  // namespace tb::instruments::scpi
