#include "lab/steps/ber_looks.h"

#include <cmath>
#include <cstdlib>

#include "lab/steps/error_bound.h"

namespace firstlight::steps {

namespace {

constexpr int kHalvings = 10;
constexpr int kDoublings = 6;
constexpr double kFewestBits = 1024;

/// Share of 1 - confidence that a look may be wrong with.
double share_of(int look) { return look == 0 ? 0.5 : std::ldexp(1.0, -2 - std::abs(look)); }

}  // namespace

double error_free_bits(double target, double confidence) { return -std::log(share_of(0) * (1 - confidence)) / target; }

std::vector<BerLook> ber_looks(double target, double confidence, double most_bits) {
  const double error_free = error_free_bits(target, confidence);
  std::vector<BerLook> looks;
  for (int i = -kHalvings; i <= kDoublings; ++i) {
    const double bits = std::ldexp(error_free, i);
    if (bits > most_bits) break;
    if (i >= 0 || bits >= kFewestBits) looks.push_back({bits, 1 - share_of(i) * (1 - confidence)});
  }
  return looks;
}

BerVerdict BerBounds::verdict(double target) const {
  if (upper <= target) return BerVerdict::below;
  return lower > target ? BerVerdict::above : BerVerdict::open;
}

BerBounds ber_bounds(const BerLook& look, std::uint64_t errors, std::uint64_t bits) {
  return {lower_error_bound(errors, bits, look.confidence), upper_error_bound(errors, bits, look.confidence)};
}

}  // namespace firstlight::steps
