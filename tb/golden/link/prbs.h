#pragma once

#include <cstdint>
#include <deque>

namespace tb::golden::link {

/// Pseudo-random binary sequences of ITU-T O.150: a shift register of n stages, the next bit is the sum modulo 2 of
/// stages n and m, for x^n + x^m + 1. One bit at a time, not inverted.
class Prbs {
 public:
  enum class Kind { prbs7, prbs15, prbs31 };

  /// Begins behind `history`, the last n bits (oldest first), not all 0.
  Prbs(Kind kind, const std::deque<bool>& history);

  bool next();

  /// Stages n of the shift register.
  static unsigned length(Kind kind);
  /// The second tap m.
  static unsigned tap(Kind kind);

 private:
  Kind kind_;
  std::deque<bool> stages_;  // newest last
};

}  // namespace tb::golden::link
