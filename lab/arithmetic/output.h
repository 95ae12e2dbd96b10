#pragma once

#include <optional>

#include "lab/arithmetic/convert.h"

namespace firstlight::arithmetic {

/// The generator of one lane (docs/arithmetic.md, "The generator").
class Generator {
 public:
  explicit Generator(std::uint32_t state = 1) : state_(state == 0 ? 1 : state) {}
  std::uint32_t next() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 17U;
    state_ ^= state_ << 5U;
    return state_;
  }
  std::uint32_t state() const { return state_; }

 private:
  std::uint32_t state_;
};

/// What a sum goes through on its way out (docs/arithmetic.md, "Ahead of the engine's output").
struct Output {
  std::optional<float> scale;
  std::optional<float> bias;
  bool relu = false;
  Narrowing narrowing;
};

/// The generator steps once when the rounding is stochastic. Adds to `flags`.
std::uint32_t put_out(const Output& how, float value, Generator& generator, Flags& flags);

}  // namespace firstlight::arithmetic
