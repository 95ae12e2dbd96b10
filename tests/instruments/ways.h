#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "lab/core/failure.h"
#include "tests/instruments/supply.h"

namespace firstlight::instruments {

/// What the run wants of the instrument while it misbehaves.
enum class Wish : std::uint8_t { connect, read_voltage, set_voltage, switch_on, read_block };

/// How it must end: with the right value, or with a failure of a class, told in these words.
struct Outcome {
  bool right = false;
  ErrorClass error_class = ErrorClass::infrastructure;
  std::string symptom;
  std::string received;         // part of what came back, as the message shows it
  std::string cause;            // part of the likely cause
  std::string or_symptom = {};  // where it is chance which comes first, the question or what is said unasked
};

/// One way to misbehave.
struct Way {
  std::string name;
  Wish wish = Wish::read_voltage;
  Manner manner;
  Outcome outcome;
  /// How many of the session's time limits may pass until it has ended.
  int waits = 0;
  bool terminal_too = false;  // happens on a serial line as well
  /// Which attempt is judged; the ones before it may end in either way.
  int attempt = 1;
  std::function<void(Line&, Supply&)> greet = {};
  bool listens = true;
};

/// For GoogleTest's messages.
inline void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

std::vector<Way> all_ways();

/// The session's time limits in these tests.
inline constexpr int kAnswerMs = 250;
inline constexpr int kFirstAnswerMs = 500;

}  // namespace firstlight::instruments
