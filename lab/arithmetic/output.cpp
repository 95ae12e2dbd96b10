#include "lab/arithmetic/output.h"

#include <cmath>

#include "lab/arithmetic/fused.h"

namespace firstlight::arithmetic {

std::uint32_t put_out(const Output& how, float value, Generator& generator, Flags& flags) {
  if (how.scale) value = fused(value, *how.scale, -0.0F, flags);
  if (how.bias) value = fused(value, 1.0F, *how.bias, flags);
  if (how.relu && std::signbit(value) && !std::isnan(value)) value = 0.0F;
  const std::uint32_t random = how.narrowing.rounding == Rounding::stochastic ? generator.next() : 0;
  return narrow(how.narrowing, value, random, flags);
}

}  // namespace firstlight::arithmetic
