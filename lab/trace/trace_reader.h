#pragma once

#include <string>
#include <vector>

#include "lab/trace/transaction.h"

namespace firstlight::trace {

struct Trace {
  std::vector<Transaction> transactions;  // in the order of their starts
  int unreadable_lines = 0;               // at most the last, cut short by a kill
};

/// Reads `<folder>/bus.jsonl` and what it refers to in `<folder>/bus.bin`. Throws FailureError (infrastructure) when
/// there is no trace, or a line in its middle is not right.
Trace read_trace(const std::string& folder);

}  // namespace firstlight::trace
