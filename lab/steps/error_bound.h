#pragma once

#include <cstdint>

namespace firstlight::steps {

/// Upper bound of a bit error ratio after `errors` in `bits`, at a confidence of 0 to 1: it is exceeded by the true
/// ratio in 1 - confidence of all measurements at the most. Of a Poisson count (by the chi-squared quantile), which
/// lies above that of Clopper and Pearson for a binomial one. 1 without bits. Holds when the bits were chosen without a
/// look at the errors, and errors come one by one, not in bursts.
double upper_error_bound(std::uint64_t errors, std::uint64_t bits, double confidence);

/// Lower bound likewise: the true ratio is below it in 1 - confidence of all measurements at the most. 0 without
/// errors.
double lower_error_bound(std::uint64_t errors, std::uint64_t bits, double confidence);

}  // namespace firstlight::steps
