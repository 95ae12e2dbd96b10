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
  std::string bench;
  std::string results = "results";
  std::string name;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> faults;
  std::vector<std::pair<std::string, std::string>> sets;
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
