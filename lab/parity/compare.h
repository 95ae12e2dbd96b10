#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/report/record.h"

namespace firstlight::parity {

/// One way in which two runs of a sequence differ.
struct Difference {
  enum class Kind {
    verdict,      // of a step
    value,        // of a measurement: within its limits on one side only
    check,        // holds on one side only
    measurement,  // made on one side only
    step,         // there, or not skipped, on one side only
    run,          // of the runs themselves: verdict, or a failure outside of every step
  };
  Kind kind = Kind::verdict;
  std::string step;     // "link/train"; empty for the run
  std::string subject;  // of a measurement or a check: its name
  std::string a;        // what each side says
  std::string b;
  std::string note;  // the failure, or the limit
};

/// "verdict", "value", ...
std::string_view name_of(Difference::Kind kind);

/// Steps that one side did not come to because of something that went wrong before.
struct NotReached {
  bool on_a = true;  // which side did not reach them
  std::string why;
  int steps = 0;
};

/// How far apart the two sides measured what both found within limits.
struct Distance {
  std::string step;
  std::string subject;
  std::string a;
  std::string b;
  std::string limit;
  double share = 0;  // of the width between the limits
};

struct Comparison {
  std::vector<Difference> differences;  // in the order of the sequence
  std::vector<NotReached> not_reached;
  std::vector<std::string> missing_on_a;  // capabilities that only the other side has
  std::vector<std::string> missing_on_b;
  std::vector<Distance> distances;  // farthest first; measurements with limits on two sides
  int steps = 0;                    // that ran on both sides
  int measurements = 0;             // compared
  int checks = 0;
  int other_texts = 0;  // checks that hold on both sides, with another text (a serial number)

  bool equal() const {
    return differences.empty() && not_reached.empty() && missing_on_a.empty() && missing_on_b.empty();
  }
};

/// Compares two runs step by step. Pass and marginal are the same; a value is the same when it is within its limits on
/// both sides or on neither.
Comparison compare(const report::RunRecord& a, const report::RunRecord& b);

}  // namespace firstlight::parity
