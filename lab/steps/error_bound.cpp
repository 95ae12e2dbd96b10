#include "lab/steps/error_bound.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>

namespace firstlight::steps {

double upper_error_bound(std::uint64_t errors, std::uint64_t bits, double confidence) {
  if (bits == 0) return 1;
  const boost::math::chi_squared distribution(2.0 * (static_cast<double>(errors) + 1));
  return std::min(1.0, quantile(distribution, confidence) / (2.0 * static_cast<double>(bits)));
}

double lower_error_bound(std::uint64_t errors, std::uint64_t bits, double confidence) {
  if (errors == 0 || bits == 0) return 0;
  const boost::math::chi_squared distribution(2.0 * static_cast<double>(errors));
  return std::min(1.0, quantile(distribution, 1 - confidence) / (2.0 * static_cast<double>(bits)));
}

}  // namespace firstlight::steps
