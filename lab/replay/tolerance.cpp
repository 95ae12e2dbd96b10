#include "lab/replay/tolerance.h"

#include <algorithm>
#include <cmath>

namespace firstlight::replay {

Tolerance tolerance_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::voltage:
      return {0.02, 0.02};
    case Dimension::current:  // follows what the chip does just then
      return {0.3, 1};
    case Dimension::power:
      return {0.3, 3};
    case Dimension::temperature:
    case Dimension::temperature_change:
      return {0, 6};
    case Dimension::frequency:
      return {100e-6, 0};
    case Dimension::flow:
      return {0.05, 0.05};
    default:
      return {0.1, 0};
  }
}

bool agree(double a, double b, const Tolerance& tolerance) {
  const double larger = std::max(std::abs(a), std::abs(b));
  return std::abs(a - b) <= std::max(tolerance.absolute, tolerance.relative * larger);
}

}  // namespace firstlight::replay
