#pragma once

#include <cstdint>

namespace tb::golden::fp {

/// The generator of one lane (docs/arithmetic.md, "The generator").
class Generator {
 public:
  explicit Generator(std::uint32_t state = 1) { write(state); }

  std::uint32_t next();
  std::uint32_t state() const { return state_; }
  void write(std::uint32_t state) { state_ = state == 0 ? 1 : state; }

 private:
  std::uint32_t state_ = 1;
};

}  // namespace tb::golden::fp
