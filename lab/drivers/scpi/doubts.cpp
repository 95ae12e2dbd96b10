#include "lab/drivers/scpi/doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/drivers/scpi/answer.h"

namespace firstlight::scpi {

namespace {

constexpr const char* kOrdinary =
    "a disconnected input, another dialect than the personality says, or garbage on the line";

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }
bool starts(std::string_view text, std::string_view part) { return text.substr(0, part.size()) == part; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool has_decimal_comma(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos || comma == 0 || comma + 1 >= text.size() || has(text, ".")) return false;
  return is_digit(text[comma - 1]) && is_digit(text[comma + 1]) &&
         text.find_first_not_of("+-0123456789,eE") == std::string_view::npos;
}

bool is_noise(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < ' ' && c != '\t' && c != '\r' && c != '\n') || byte > '~';
}

}  // namespace

std::string likely_cause_of(std::string_view command, std::string_view answer) {
  answer = trim(answer);
  if (answer.empty()) return "an empty line: a second line end after the previous answer, or nothing to say";
  if (starts(answer, trim(command)))
    return "the line sends back what it gets: switch the echo of the instrument or its serial server off";
  if (starts(answer, "HTTP/") || has(answer, "<html") || starts(answer, "SSH-"))
    return "that is no instrument's socket but another service of the host: the port is wrong (SCPI is usually at "
           "5025)";
  if (static_cast<unsigned char>(answer.front()) == 0xff)
    return "Telnet negotiation: the port is that of a Telnet server; use the raw port of the instrument or serial "
           "server";
  if (std::any_of(answer.begin(), answer.end(), is_noise))
    return "noise, or a serial line with another baud rate or parity than the bench file says";
  if (has_decimal_comma(answer))
    return "a decimal comma: the instrument is set to another language, set its number format to a point";
  if (starts(answer, "9.9") || starts(answer, "+9.9") || starts(answer, "-9.9"))
    return "SCPI's way to say that there is no reading: an overload, an open input, or a measurement that did not end";
  if (has(answer, "nan") || has(answer, "NAN") || has(answer, "inf") || has(answer, "INF"))
    return "the instrument says that it has no reading: an overload or an open input";
  if (has(answer, ";") || has(answer, "\n")) return "several answers at once: it still answers an earlier question";
  return kOrdinary;
}

std::string likely_cause_of_silence(std::string_view received, char terminator) {
  if (received.empty())
    return "the instrument is off, hangs, does not know the command, or another program talks to it";
  const char last = received.back();
  if (last != terminator && (last == '\r' || last == '\n' || last == ';' || last == '\0'))
    return fmt::format(
        "the answer ends with \"{}\" instead of \"{}\": the line end in the instrument's settings, or the "
        "personality's terminator, is another one",
        printable(received.substr(received.size() - 1)), printable(std::string_view(&terminator, 1)));
  return "the answer broke off: the instrument hung or restarted within it, bytes were lost on the line, or it ends "
         "its "
         "lines in another way";
}

namespace {

/// By the quantity at the end of a purpose's name; base units. Wider than any instrument of a bench, narrower than what
/// a wrong exponent or a sentinel makes of a reading.
struct Bounds {
  std::string_view quantity;
  double least;
  double most;
  std::string_view why_least;
};

constexpr std::array<Bounds, 13> kBounds = {{
    {"voltage", -20e3, 20e3, ""},
    {"current", -20e3, 20e3, ""},
    {"power", -1e7, 1e7, ""},
    {"resistance", -1e3, 1e12, ""},
    {"frequency", 0, 1e12, "no frequency is negative"},
    {"temperature", -273.0, 3000, "nothing is colder than absolute zero"},
    {"inlet", -273.0, 3000, "nothing is colder than absolute zero"},
    {"outlet", -273.0, 3000, "nothing is colder than absolute zero"},
    {"flow", -1e4, 1e4, ""},
    {"pressure", -2e5, 1e9, "nothing is emptier than a vacuum"},
    {"humidity", 0, 1.05, "no air is drier than dry"},
    {"level", -0.05, 1.5, ""},
    {"speed", 0, 1e6, "no speed of a fan or a pump is negative"},
}};

constexpr double kFarAbove = 2;

}  // namespace

std::optional<std::string> impossible(std::string_view purpose, double value, std::optional<double> most_set) {
  if (!std::isfinite(value)) return "it is no number";
  const std::string_view quantity = purpose.substr(purpose.rfind('_') + 1);
  if (most_set && *most_set != 0 && std::fabs(value) > kFarAbove * std::fabs(*most_set))
    return fmt::format("the instrument cannot make or measure more than {}", *most_set);
  const auto* found =
      std::find_if(kBounds.begin(), kBounds.end(), [&](const Bounds& one) { return one.quantity == quantity; });
  if (found == kBounds.end()) return std::nullopt;
  if (value < found->least) return std::string(found->why_least.empty() ? "it is far too low" : found->why_least);
  if (value > found->most) return "no instrument of a bench measures that much";
  return std::nullopt;
}

}  // namespace firstlight::scpi
