#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "tests/instruments/far_end.h"

namespace firstlight::instruments {

inline constexpr const char* kIdentity = "Firstlight,FL-PS1230,SN0001,1.0";
inline constexpr const char* kReading = "12.01";
inline constexpr double kTrueVoltage = 12.01;

/// A bench supply as its far end sees one connection: what it was told and what it would answer.
struct Supply {
  std::map<std::string, std::string> settings = {{"VOLT", "12"}, {"CURR", "5"}, {"VOLT:PROT", "13"}, {"OUTP", "0"}};
  std::deque<std::string> errors;
  std::map<std::string, int> asked;  // how often each command came, over all connections
  int connection = 0;

  /// What a well-behaved one answers; empty: nothing.
  std::string answer(const std::string& command);
};

/// Does something else than `answer` for a command. False: behave well this time.
using Manner = std::function<bool(Line&, Supply&, const std::string& command)>;

/// Serves a connection to its end.
/// @param greet called once when someone has connected
void serve(Line& line, Supply& supply, const Manner& manner, const std::function<void(Line&, Supply&)>& greet = {});

// ---- manners, to be combined in a table

/// Answers `bytes` to every `command` instead of what it should; as they are, so with the line end.
Manner says(const std::string& command, const std::string& bytes);
/// The same, once only.
Manner says_once(const std::string& command, const std::string& bytes);
/// Takes its time before the right answer, the first `times` times.
Manner slow(const std::string& command, std::chrono::milliseconds pause, int times = 1);
Manner silent(const std::string& command);
/// Sends so many bytes of the answer and closes, on the first connection.
Manner breaks_off(const std::string& command, std::size_t bytes, bool reset = false);
/// The right answer, a byte at a time.
Manner drips(const std::string& command, std::chrono::milliseconds pause);
/// Sends the bytes over and over.
Manner floods(const std::string& command, const std::string& bytes);

}  // namespace firstlight::instruments
