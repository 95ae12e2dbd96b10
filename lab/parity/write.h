#pragma once

#include <string>

#include "lab/parity/compare.h"

namespace firstlight::parity {

/// A side of the comparison, as a reader wants to see it named.
struct Side {
  std::string folder;
  const report::RunRecord* run = nullptr;
};

/// For people: one line a difference, and how far apart the measurements are.
std::string to_text(const Comparison& comparison, const Side& a, const Side& b);
/// For programs.
std::string to_json(const Comparison& comparison, const Side& a, const Side& b);

}  // namespace firstlight::parity
