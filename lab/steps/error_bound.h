#pragma once

#include <cstdint>

namespace firstlight::steps {

/// Upper bound of a bit error ratio after `errors` in `bits`, at a confidence of 0 to 1: it is exceeded by the true
/// ratio in 1 - confidence of all measurements at the most. Of a Poisson count (by the chi-squared quantile), which
/// lies above that of Clopper and Pearson for a binomial one. 1 without bits.
double upper_error_bound(std::uint64_t errors, std::uint64_t bits, double confidence);

}  // namespace firstlight::steps
