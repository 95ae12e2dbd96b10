#pragma once

#include <string>

#include "lab/replay/player.h"

namespace firstlight::replay {

/// What was replayed into what, for the report.
struct Subject {
  std::string record;  // folder
  std::string run;     // "bringup on desk, seed 7"
  std::string bench;   // file
  std::string seed;
  std::size_t transactions = 0;
  std::string waves;         // file; empty when none was wanted or made
  std::string waves_window;  // "3.210 s to 3.225 s"; empty when none was wanted
};

/// For people.
std::string to_text(const Outcome& outcome, const Subject& subject);
/// For programs.
std::string to_json(const Outcome& outcome, const Subject& subject);

/// "3.214567 s".
std::string time_text(Instant at);

}  // namespace firstlight::replay
