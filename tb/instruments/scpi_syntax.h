#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/quantity.h"

namespace tb::instruments::scpi {

/// A numbered error of SCPI-99 (volume 2, 21.8), thrown by whoever finds it and put into the error queue.
class Error : public std::runtime_error {
 public:
  explicit Error(int code, const std::string& detail = {});
  int code() const { return code_; }

 private:
  int code_;
};
/// "Undefined header"; the standard's text.
std::string_view error_text(int code);

/// One program message unit: header and parameters, as sent.
struct Unit {
  std::string header;                   // upper case, with its '?'
  std::vector<std::string> parameters;  // trimmed
};

/// Splits a program message at its semicolons, outside of strings and parentheses.
std::vector<std::string> split_message(std::string_view message);
/// Splits a unit into header and parameters. Throws Error (-101, -102, -151).
Unit parse_unit(std::string_view text);

/// A command as manuals write it: "[SOURce:]VOLTage[:LEVel]:PROTection?". Short and long forms match in any case,
/// optional nodes may be left out, and each node may carry the suffix 1.
class Pattern {
 public:
  explicit Pattern(std::string_view text);
  /// @param header absolute, upper case, without a leading colon
  bool matches(std::string_view header) const;
  bool query() const { return query_; }

 private:
  struct Node {
    std::string brief;
    std::string full;
    bool optional = false;
  };
  bool matches_from(std::size_t node, const std::vector<std::string>& words, std::size_t word) const;
  std::vector<Node> nodes_;
  bool query_ = false;
};

/// The number in front and its suffix ("12.5", "MV"), as a value in base units. In SCPI "M" is milli, and mega before
/// HZ and OHM (SCPI-99, volume 1, 7.2.1). Throws Error: -104 not a number, -131 unknown suffix, -138 suffix not
/// allowed.
double parse_number(std::string_view text, firstlight::Dimension dimension);
/// ON, OFF or a number (SCPI-99, volume 1, 7.3). Throws Error -104.
bool parse_boolean(std::string_view text);
/// "(@1,3:5)" as {1, 3, 4, 5}. Throws Error -171 for what is not a channel list.
std::vector<int> parse_channels(std::string_view text);
/// NR3 with `digits` after the point: "+1.200000E+01".
std::string format_number(double value, int digits = 6);

}  // namespace tb::instruments::scpi
