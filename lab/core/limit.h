#pragma once

#include <optional>
#include <string>

#include "lab/core/quantity.h"
#include "lab/core/verdict.h"

namespace firstlight {

/// Bounds of a measurement. Both ends belong to the allowed range. A value inside the limits but within `marginal` of
/// an end is marginal. Values, limits and the marginal band share one dimension, in base units (the band of a
/// temperature is in K).
struct Limit {
  std::optional<double> min;
  std::optional<double> max;
  std::optional<double> nominal;  // for records and pictures; min and max already hold nominal -/+ tolerance
  double marginal = 0;            // width of the band just inside each end
  Dimension dimension = Dimension::none;

  static Limit at_least(Quantity min) { return {min.value, std::nullopt, std::nullopt, 0, min.dimension}; }
  static Limit at_most(Quantity max) { return {std::nullopt, max.value, std::nullopt, 0, max.dimension}; }
  static Limit between(Quantity min, Quantity max) { return {min.value, max.value, std::nullopt, 0, min.dimension}; }
  static Limit around(Quantity nominal, double tolerance) {
    return {nominal.value - tolerance, nominal.value + tolerance, nominal.value, 0, nominal.dimension};
  }
};

/// pass, marginal or fail. NaN fails every limit.
Verdict judge(double value, const Limit& limit);

/// "832 mV .. 868 mV", ">= 10 L/min", "<= 1e-9", "= 3": the limit in words.
std::string to_text(const Limit& limit);

/// How far the value is from the nearer end of the limit, as a share of the allowed range or, with one end only, of
/// that end's magnitude; negative when outside.
double margin_of(double value, const Limit& limit);

}  // namespace firstlight
