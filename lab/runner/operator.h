#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/runner/scheduler.h"

namespace firstlight {

/// The person at the bench.
class Operator {
 public:
  Operator() = default;
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;
  virtual ~Operator() = default;

  /// Called in a fiber; may wait by `scheduler`. Nothing when no one can answer.
  virtual std::optional<std::string> ask(Scheduler& scheduler, const std::string& question,
                                         const std::vector<std::string>& choices, Instant deadline) = 0;
};

}  // namespace firstlight
