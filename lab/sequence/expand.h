#pragma once

#include <string>
#include <vector>

#include "lab/document/reader.h"
#include "lab/sequence/scope.h"

namespace firstlight {

/// One round of a `for_each`: the values of its variables, and what its steps' ids get appended.
struct Round {
  Scope scope;         // the scope around, with the variables
  std::string suffix;  // "[vdd_core]", or "[vdd_core][800 mV]" with two variables
};

inline constexpr std::size_t kMaxRounds = 10'000;

/// Every round, in order; the last variable runs fastest. Values are a list, or a range {from, to, step} with both
/// ends.
std::vector<Round> rounds_of(const Reader& reader, const Place& for_each, const Scope& scope);

}  // namespace firstlight
