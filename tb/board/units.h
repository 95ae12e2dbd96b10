#pragma once

#include "lab/core/quantity.h"

namespace tb::board {

using Resistance = firstlight::Physical<firstlight::Dimension::resistance>;

/// A load in siemens: all loads of the board are conductances that are worked out anew when something changes, so that
/// a rail's voltage has a closed form in between.
struct Conductance {
  double siemens = 0;
};

struct Capacitance {
  double farad = 0;
};

}  // namespace tb::board
