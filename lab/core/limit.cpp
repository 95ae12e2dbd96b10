#include "lab/core/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace firstlight {

Verdict judge(double value, const Limit& limit) {
  if (std::isnan(value)) return Verdict::fail;
  if (limit.min && value < *limit.min) return Verdict::fail;
  if (limit.max && value > *limit.max) return Verdict::fail;
  if (limit.marginal > 0) {
    if (limit.min && value < *limit.min + limit.marginal) return Verdict::marginal;
    if (limit.max && value > *limit.max - limit.marginal) return Verdict::marginal;
  }
  return Verdict::pass;
}

std::string to_text(const Limit& limit) {
  const auto text = [&](double value) { return to_text(Quantity{value, limit.dimension}); };
  if (limit.min && limit.max && *limit.min == *limit.max) return "= " + text(*limit.min);
  if (limit.min && limit.max) return fmt::format("{} .. {}", text(*limit.min), text(*limit.max));
  if (limit.min) return ">= " + text(*limit.min);
  if (limit.max) return "<= " + text(*limit.max);
  return "any";
}

double margin_of(double value, const Limit& limit) {
  if (limit.min && limit.max) {
    const double range = *limit.max - *limit.min;
    const double distance = std::min(value - *limit.min, *limit.max - value);
    return range > 0 ? distance / range : distance;
  }
  if (!limit.min && !limit.max) return 1;
  const double end = limit.min ? *limit.min : *limit.max;
  const double distance = limit.min ? value - end : end - value;
  return end != 0 ? distance / std::abs(end) : distance;
}

}  // namespace firstlight
