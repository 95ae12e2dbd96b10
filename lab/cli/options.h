#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace firstlight::cli {

struct Options {
  std::string command;                // empty: none
  std::vector<std::string> operands;  // what follows the command
  std::string bench;                  // the first of `benches`
  std::vector<std::string> benches;   // parity takes two
  std::string results = "results";
  std::string name;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> faults;
  std::vector<std::pair<std::string, std::string>> sets;
  std::vector<std::pair<std::string, std::string>> bench_variables;
  std::string listen;      // model, agent: the folder or the address that it serves
  std::string token_file;  // agent
  std::string for_time;    // lock: how long
  std::string reason;      // lock
  bool force = false;
  bool waves = false;
  std::string window;      // replay: of bench time, "3.2 s..3.25 s"
  std::string waves_file;  // replay: where the waves go
  bool json = false;
  bool quiet = false;
  bool plain = false;
  bool no_color = false;
  bool help = false;
  bool version = false;
};

/// Reads the arguments. @return nothing, with `error` filled, when they are wrong
std::optional<Options> parse_options(const std::vector<std::string>& arguments, std::string& error);

/// The help of the program, or of one command.
std::string help_text(const std::string& command);

const std::vector<std::string>& command_names();

}  // namespace firstlight::cli
