#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/core/diagnostic.h"

namespace firstlight {

/// One diagnostic that a broken file must give.
struct ExpectedDiagnostic {
  std::string place;                 // "12:9", with the file's name before it when it is another file: "part.yaml:3:1"
  std::vector<std::string> phrases;  // each must stand in the message
  std::string suggestion;            // exactly
};

/// What a broken file of the corpus must give, all of it: the `.expect` file beside it. Lines are
///   12:9 phrase | phrase => suggestion      one diagnostic, in the order of places
///   ! set name=value                        as `--set`
///   ! no-bench                              a sequence that is checked without a bench
///   ! bench small                           a sequence that is checked against good/small.yaml
///   ! schema                                the JSON Schema must refuse the file as well
///   # comment
struct Expectation {
  std::vector<ExpectedDiagnostic> diagnostics;
  std::vector<std::pair<std::string, std::string>> set;
  bool with_bench = true;
  std::string bench = "bench";
  bool schema = false;
};

/// Throws std::runtime_error when the file is missing or has a line of another form.
Expectation read_expectation(const std::string& path);

/// The diagnostic as a line of such a file, with its whole message for a phrase.
std::string as_expectation(const Diagnostic& diagnostic, const std::string& main_file);

/// Empty when it is the one that was expected, otherwise why not.
std::string difference(const Diagnostic& found, const ExpectedDiagnostic& expected, const std::string& main_file);

}  // namespace firstlight
