#include "lab/arithmetic/fused.h"

#include <cfenv>
#include <cmath>

#include "lab/arithmetic/convert.h"

namespace firstlight::arithmetic {

namespace {

constexpr int kExceptions = FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT;

/// The host's flags, from its creation on. Tiny results are told after rounding on x86, as the specification does.
class HostFlags {
 public:
  HostFlags() { std::feclearexcept(kExceptions); }
  void add_to(Flags& flags) const {
    const int raised = std::fetestexcept(kExceptions);
    flags.overflow = flags.overflow || (raised & FE_OVERFLOW) != 0;
    flags.underflow = flags.underflow || (raised & FE_UNDERFLOW) != 0;
    flags.inexact = flags.inexact || (raised & FE_INEXACT) != 0;
  }
};

bool is_infinity_times_zero(float a, float b) { return (std::isinf(a) && b == 0.0F) || (a == 0.0F && std::isinf(b)); }

/// A chain that has met an infinity or a NaN, step by step.
float careful_chain(const Operands& o, std::size_t row, std::size_t column, Flags& flags) {
  float sum = 0;
  for (std::size_t k = 0; k < o.k; ++k) sum = fused(o.a[k * o.m + row], o.b[k * o.n + column], sum, flags);
  return sum;
}

}  // namespace

float fused(float a, float b, float c, Flags& flags) {
  const bool nan_a = note_nan(a, flags);
  const bool nan_b = note_nan(b, flags);
  const bool nan_c = note_nan(c, flags);
  if (is_infinity_times_zero(a, b)) flags.invalid = true;
  if (nan_a || nan_b || nan_c || is_infinity_times_zero(a, b)) return float_of(kNan);
  const HostFlags host;
  const float sum = std::fma(a, b, c);
  host.add_to(flags);
  if (!std::isnan(sum)) return sum;
  flags.invalid = true;  // infinity - infinity
  return float_of(kNan);
}

std::vector<float> product(const Operands& o, Flags& flags) {
  std::vector<float> c(o.m * o.n, 0.0F);
  {
    const HostFlags host;
    for (std::size_t column = 0; column < o.n; ++column) {
      float* const sums = c.data() + column * o.m;
      for (std::size_t k = 0; k < o.k; ++k) {
        const float stationary = o.b[k * o.n + column];
        const float* const moving = o.a.data() + k * o.m;
        for (std::size_t row = 0; row < o.m; ++row) sums[row] = std::fma(moving[row], stationary, sums[row]);
      }
    }
    host.add_to(flags);
  }
  // What is not finite stays so: a finite sum has met nothing special.
  for (std::size_t i = 0; i < c.size(); ++i)
    if (!std::isfinite(c[i])) c[i] = careful_chain(o, i % o.m, i / o.m, flags);
  return c;
}

}  // namespace firstlight::arithmetic
