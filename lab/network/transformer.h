#pragma once

#include "lab/network/products.h"

namespace firstlight::network {

struct TransformerPlan {
  std::size_t tokens = 32;
  std::size_t width = 64;
  std::size_t heads = 4;  // divides `width`
  std::size_t hidden = 128;
  bool causal = true;
  bool relu = false;  // GELU otherwise
  std::uint32_t seed = 1;
};

/// The forward pass of one block (docs/networks.md, "The transformer block"): its output, a row for each feature.
/// Throws std::invalid_argument for a plan that is none.
Grid transformer_block(const TransformerPlan& plan, Products& products);

}  // namespace firstlight::network
