#pragma once

#include <cstdint>
#include <cstdlib>

namespace firstlight::test {

/// FIRSTLIGHT_SEED, else 1. A test that draws from it prints it.
inline std::uint64_t seed() {
  const char* const given = std::getenv("FIRSTLIGHT_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 0) : 1;
}

/// How many random cases: FIRSTLIGHT_CASES, else what suits a change.
inline std::uint64_t cases(std::uint64_t usual) {
  const char* const given = std::getenv("FIRSTLIGHT_CASES");
  return given != nullptr ? std::strtoull(given, nullptr, 0) : usual;
}

}  // namespace firstlight::test
