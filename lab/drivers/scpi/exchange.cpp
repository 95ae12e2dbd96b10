#include "lab/drivers/scpi/exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>

#include "lab/drivers/scpi/answer.h"

namespace firstlight::scpi {

namespace {

constexpr int kHex = 16;

void put_in(std::string& text, std::string_view place, const std::string& value) {
  std::size_t at = 0;
  while ((at = text.find(place, at)) != std::string::npos) {
    text.replace(at, place.size(), value);
    at += value.size();
  }
}

template <class Integer>
std::optional<Integer> hexadecimal(std::string_view text) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, kHex);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A status word: "0x0224" or decimal.
std::optional<std::int64_t> status_word(const std::string& text) {
  if (text.rfind("0x", 0) == 0 || text.rfind("0X", 0) == 0)
    return hexadecimal<std::int64_t>(std::string_view(text).substr(2));
  return parse_integer(text);
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::string NumberFormat::write(double value) const {
  const double number = value / scale;
  switch (kind) {
    case Kind::shortest:
      return format_number(number);
    case Kind::fixed:
      return fmt::format("{:.{}f}", number, digits);
    case Kind::hex16:
      break;
  }
  return fmt::format("{:04X}", static_cast<std::uint16_t>(static_cast<std::int16_t>(std::lround(number))));
}

std::optional<double> NumberFormat::read(const std::string& text) const {
  if (kind != Kind::hex16) {
    const auto number = parse_number(text);
    return number ? std::optional(*number * scale) : std::nullopt;
  }
  const auto code = hexadecimal<std::uint16_t>(text);
  return code ? std::optional(static_cast<std::int16_t>(*code) * scale) : std::nullopt;
}

std::vector<std::string> Exchange::messages(const std::string& channel, const std::string& value) const {
  std::vector<std::string> out = send;
  for (std::string& message : out) {
    put_in(message, "{channel}", channel);
    put_in(message, "{}", value);
  }
  return out;
}

std::optional<std::string> Exchange::value_in(const std::string& text) const {
  const std::string trimmed(trim(text));
  if (answer.empty()) return trimmed;
  std::smatch match;
  if (!std::regex_match(trimmed, match, std::regex(answer))) return std::nullopt;
  return match.size() > 1 ? match[1].str() : trimmed;
}

std::optional<double> Exchange::number_in(const std::string& text) const {
  const auto value = value_in(text);
  return value ? number.read(*value) : std::nullopt;
}

std::optional<bool> Exchange::flag_in(const std::string& text, std::size_t channel) const {
  const auto value = value_in(text);
  if (!value) return std::nullopt;
  if (!bits.empty()) {
    const auto word = status_word(*value);
    if (!word) return std::nullopt;
    return ((*word >> bits[std::min(channel, bits.size() - 1)]) & 1) != 0;
  }
  if (on.empty() && off.empty()) return parse_boolean(*value);
  if (has(on, *value)) return true;
  return has(off, *value) ? std::optional(false) : std::nullopt;
}

}  // namespace firstlight::scpi
