#pragma once

#include "lab/core/quantity.h"

namespace firstlight::replay {

/// How far two readings of one physical quantity may be apart and still be of the same thing: noise, another part of
/// the same kind, another room. The larger of the two counts.
struct Tolerance {
  double relative = 0;
  double absolute = 0;  // in the base unit
};

/// docs/replay.md says them.
Tolerance tolerance_of(Dimension dimension);
bool agree(double a, double b, const Tolerance& tolerance);

}  // namespace firstlight::replay
