#pragma once

#include <string>
#include <vector>

#include "rtl/regs/generator/description.h"

namespace regtool {

/// Collects every error of a run, so that one run shows them all.
class Diagnostics {
 public:
  void error(const std::string& file, Mark mark, std::string message);
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }

  /// One "file:line:column: error: message" a line, in the order of the files' lines.
  std::string text() const;

 private:
  struct Item {
    std::string file;
    Mark mark;
    std::string message;
  };
  std::vector<Item> items_;
};

/// ", did you mean `x`?" for the candidate nearest to `name`, or "" when none is near.
std::string suggestion(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace regtool
