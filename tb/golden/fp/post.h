#pragma once

#include <optional>

#include "tb/golden/fp/generator.h"
#include "tb/golden/fp/narrow.h"

namespace tb::golden::fp {

/// What a result goes through on its way out (docs/arithmetic.md, "Ahead of the engine's output"). Numbers are fp32.
struct PostSteps {
  std::optional<std::uint32_t> scale;
  std::optional<std::uint32_t> bias;
  bool relu = false;
  Narrowing narrowing;
};

/// The flags are those of all steps together. The generator steps once when the rounding is stochastic.
Result post(const PostSteps& steps, std::uint32_t value, Generator& generator);

}  // namespace tb::golden::fp
