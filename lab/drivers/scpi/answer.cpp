#include "lab/drivers/scpi/answer.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace firstlight::scpi {

namespace {

constexpr double kOverload = 9.9e37;
constexpr std::size_t kLongestShown = 120;

std::string_view without_plus(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class Number>
std::optional<Number> parse(std::string_view text) {
  text = without_plus(text);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<double> parse_number(std::string_view text) {
  const std::optional<double> value = parse<double>(text);
  if (!value || !std::isfinite(*value) || std::fabs(*value) >= kOverload) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) { return parse<std::int64_t>(text); }

std::optional<bool> parse_boolean(std::string_view text) {
  text = trim(text);
  if (text == "1" || text == "ON") return true;
  if (text == "0" || text == "OFF") return false;
  return std::nullopt;
}

std::optional<ErrorEntry> parse_error(std::string_view text) {
  text = trim(text);
  const std::size_t end = text.find_first_of(", ");
  const std::optional<std::int64_t> code = parse_integer(text.substr(0, end));
  if (!code || *code < -32768 || *code > 32767) return std::nullopt;
  ErrorEntry entry{static_cast<int>(*code), {}};
  if (end == std::string_view::npos) return entry;
  std::string_view words = trim(text.substr(text.find_first_not_of(", ", end)));
  if (words.size() >= 2 && words.front() == '"' && words.back() == '"') words = words.substr(1, words.size() - 2);
  entry.text = std::string(words);
  return entry;
}

std::string format_number(double value) { return fmt::format("{}", value); }

std::string printable(std::string_view bytes) {
  std::string text;
  for (const char c : bytes.substr(0, kLongestShown)) {
    if (c >= ' ' && c <= '~')
      text += c;
    else
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  if (bytes.size() > kLongestShown) text += fmt::format("... ({} bytes)", bytes.size());
  return text;
}

}  // namespace firstlight::scpi
