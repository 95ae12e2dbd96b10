#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace firstlight::scpi {

/// A number as instruments write it ("+1.20000E+01"), whatever the locale. Nothing for anything else, and for SCPI's
/// 9.91E37 (not a number) and 9.9E37 (overload): those are no readings.
std::optional<double> parse_number(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);
/// "1", "0", "ON", "OFF".
std::optional<bool> parse_boolean(std::string_view text);

/// An entry of the error queue, as SYST:ERR? gives it: -222,"Data out of range"; some write 0  No Error.
struct ErrorEntry {
  int code = 0;
  std::string text;
};
std::optional<ErrorEntry> parse_error(std::string_view text);

/// "12", "0.85": the shortest text that reads back as the same value, with a point in every locale.
std::string format_number(double value);

/// Without spaces and line ends on both sides.
std::string_view trim(std::string_view text);

/// For messages: unprintable bytes as "\x0a", cut after 120 bytes.
std::string printable(std::string_view bytes);

}  // namespace firstlight::scpi
