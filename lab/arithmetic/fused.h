#pragma once

#include <cstddef>
#include <vector>

#include "lab/arithmetic/format.h"

namespace firstlight::arithmetic {

/// a x b + c, rounded once (docs/arithmetic.md, "Fused multiply-add"). Adds to `flags`.
float fused(float a, float b, float c, Flags& flags);

/// What a product of matrices takes part with, fp32 throughout: A as `k` rows of `m`, B as `k` rows of `n`.
struct Operands {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  std::vector<float> a;
  std::vector<float> b;
};

/// C = A x B as `n` rows of `m`, each element one chain from +0 over k = 0, 1, 2, ... (docs/arithmetic.md, "Order").
std::vector<float> product(const Operands& operands, Flags& flags);

}  // namespace firstlight::arithmetic
