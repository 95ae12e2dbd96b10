#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace firstlight::scpi {

/// How an instrument writes numbers.
struct NumberFormat {
  enum class Kind : std::uint8_t { shortest, fixed, hex16 } kind = Kind::shortest;
  int digits = 0;    // fixed: places after the point
  double scale = 1;  // base units that one unit of the instrument's number is worth (1e5 where it says bar)

  /// @param value in base units
  std::string write(double value) const;
  /// Nothing for what is no such number.
  std::optional<double> read(const std::string& text) const;
};

/// What is said to an instrument for one purpose, and how its answer is understood.
struct Exchange {
  std::vector<std::string> send;  // messages in order; of a question, the last one is asked. `{}` value, `{channel}`
  std::string answer;             // regular expression whose first group is the value; empty: the whole answer
  std::vector<int> bits;          // the answer is a status word: the bit for each channel, or one for all
  std::vector<std::string> on;    // words for true; empty: 1 and ON
  std::vector<std::string> off;
  NumberFormat number;

  /// The messages with channel and value put in.
  std::vector<std::string> messages(const std::string& channel, const std::string& value = {}) const;
  /// Nothing when the answer does not fit.
  std::optional<std::string> value_in(const std::string& text) const;
  std::optional<double> number_in(const std::string& text) const;
  /// @param channel its place in the instrument's list, from 0
  std::optional<bool> flag_in(const std::string& text, std::size_t channel) const;
};

}  // namespace firstlight::scpi
