#pragma once

#include <functional>
#include <iosfwd>

#include "lab/runner/operator.h"

namespace firstlight::cli {

/// Asks at the terminal. On hardware interlocks go on meanwhile; on a model bench time stands still.
class ConsoleOperator final : public Operator {
 public:
  /// @param before called before it writes: whoever draws on the terminal makes room
  ConsoleOperator(std::ostream& out, std::function<void()> before);

  std::optional<std::string> ask(Scheduler& scheduler, const std::string& question,
                                 const std::vector<std::string>& choices, Instant deadline) override;

 private:
  std::ostream& out_;
  std::function<void()> before_;
};

}  // namespace firstlight::cli
