#pragma once

#include <cstdint>
#include <random>

namespace tb::blocks {

/// Random numbers of a test. The same seed gives the same numbers on every platform: no distribution of the library is
/// used.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }
  /// 0 to n - 1; n is not 0.
  unsigned below(unsigned n) { return static_cast<unsigned>(engine_() % n); }
  int between(int low, int high) { return low + static_cast<int>(below(static_cast<unsigned>(high - low + 1))); }
  bool coin() { return engine_() % 2 != 0; }
  /// True in one of n.
  bool one_in(unsigned n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tb::blocks
