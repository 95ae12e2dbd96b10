#include "tb/channel/eye.h"

#include <algorithm>
#include <cmath>

namespace tb {

namespace {

constexpr double pi = 3.14159265358979323846;

/// Probability that a standard normal variable is above `x`.
double tail(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

/// A bit at `level` (a 0 at -level) against a threshold, both kinds as often.
double wrong(double level, double offset, double noise) {
  if (noise <= 0) return 0.5 * ((level < offset ? 1 : 0) + (level < -offset ? 1 : 0));
  return 0.5 * (tail((level - offset) / noise) + tail((level + offset) / noise));
}

}  // namespace

double error_ratio(const Eye& eye, double phase_ui, double offset_mv) {
  const double level = eye.amplitude_mv * std::pow(10.0, -eye.loss_db / 20);
  const auto at_edge = [&](double phase) {
    return wrong(level * std::cos(pi * std::min(std::abs(phase), 1.0)), offset_mv, eye.noise_mv);
  };
  double beside = 0;
  if (eye.jitter_ui <= 0) {
    beside = at_edge(phase_ui);
  } else {
    // The mean over the jitter, 8 standard deviations to either side.
    constexpr int steps = 160;
    constexpr double reach = 8;
    double weights = 0;
    for (int i = -steps; i <= steps; ++i) {
      const double deviation = reach * i / steps;
      const double weight = std::exp(-0.5 * deviation * deviation);
      weights += weight;
      beside += weight * at_edge(phase_ui + deviation * eye.jitter_ui);
    }
    beside /= weights;
  }
  return 0.5 * wrong(level, offset_mv, eye.noise_mv) + 0.5 * beside;
}

}  // namespace tb
