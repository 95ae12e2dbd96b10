#pragma once

#include <optional>
#include <string>

namespace bench {

/// One figure. `reference` is what it is held against: another figure of the same run, or an aim; `ratio` is value by
/// reference.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  std::optional<double> reference;
};

/// Prints figures as they come: a line of text each, or a JSON object a line.
class Results {
 public:
  explicit Results(bool json) : json_(json) {}
  void add(const Figure& figure) const;

 private:
  bool json_;
};

/// Processor time of this process, in seconds: on a machine that others use too, the wall clock measures them.
double cpu_seconds();

}  // namespace bench
