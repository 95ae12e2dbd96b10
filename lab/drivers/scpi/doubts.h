#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace firstlight::scpi {

/// What an answer that could not be used looks like, in words for whoever has to find the fault: an echo, a decimal
/// comma, SCPI's 9.91E37, a web server, noise.
std::string likely_cause_of(std::string_view command, std::string_view answer);

/// The same for the bytes of an answer that did not end in time: another line end, half an answer, nothing.
std::string likely_cause_of_silence(std::string_view received, char terminator);

/// Whether a reading can be one at all: nothing is colder than absolute zero, and no instrument measures far more than
/// it can make. @param purpose of the personality: "measure_voltage", "get_temperature"
/// @param most_set the most that the instrument can be set to of the same quantity, in base units, where it is known
/// @return what is impossible about it, or nothing
std::optional<std::string> impossible(std::string_view purpose, double value, std::optional<double> most_set);

}  // namespace firstlight::scpi
