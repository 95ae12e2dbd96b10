#pragma once

#include <map>
#include <string>
#include <vector>

#include "lab/core/quantity.h"
#include "lab/drivers/scpi/session.h"

namespace firstlight::scpi {

/// How one model of instrument wants to be spoken to. From a YAML file, so that a new model needs no code.
struct Personality {
  std::string name;
  std::string kind;  // "supply", "meter", "clock", "coolant"
  std::string doc;
  SessionOptions session;
  std::map<std::string, std::string> commands;  // by purpose: "set_voltage" -> "VOLT {}"
  std::map<std::string, Quantity> maxima;       // by quantity: "voltage" -> 12.6 V
  std::map<std::string, int> counts;            // "channels" -> 10

  /// The command for a purpose, `{}` replaced. A purpose that the file lacks is refused when it is loaded.
  std::string command(const std::string& purpose) const;
  std::string command(const std::string& purpose, const std::string& argument) const;
};

/// Reads a personality. Throws FailureError (bench) that tells every error in it, with line and column.
/// @param file for messages
Personality parse_personality(const std::string& file, const std::string& text);

/// One that comes with the program, by name, or a file, when the name ends in ".yaml".
Personality load_personality(const std::string& name);

/// Names of those that come with the program, sorted.
std::vector<std::string> known_personalities();

}  // namespace firstlight::scpi
