#pragma once

#include "tb/golden/network/number.h"

namespace tb::golden::network {

struct BlockPlan {
  std::size_t tokens = 1;
  std::size_t width = 1;
  std::size_t heads = 1;
  std::size_t hidden = 1;
  bool causal = false;
  bool relu = false;
  std::uint32_t seed = 1;
};
/// docs/networks.md, "The transformer block": [feature][token].
Table transformer_block(const BlockPlan& plan);

struct TrainingPlan {
  std::size_t inputs = 1;
  std::size_t hidden = 1;
  std::size_t outputs = 1;
  std::size_t batch = 1;
  float rate = 0;
  std::uint32_t seed = 1;
  unsigned steps = 1;
};
/// docs/networks.md, "The perceptron": the loss of each step.
std::vector<float> losses(const TrainingPlan& plan);

}  // namespace tb::golden::network
