#include "tb/golden/thermal_zone/thermal_zone.h"

#include <algorithm>

namespace tb::golden {
namespace {

constexpr unsigned kMaxCount = 0xffff;

unsigned more(unsigned count, unsigned limit) { return std::min(count + 1, limit); }

}  // namespace

bool ThermalFilter::sample(int temperature, const Setting& setting) {
  const auto m = std::clamp(setting.m, 1U, 8U);
  const auto n = std::clamp(setting.n, 1U, m);
  const bool asks = active_ ? temperature < setting.limit - setting.hysteresis : temperature >= setting.limit;
  asked_.push_back(asks);
  while (asked_.size() > 8) asked_.pop_front();
  const auto window = std::min<std::size_t>(m, asked_.size());
  const auto count = std::count(asked_.end() - static_cast<std::ptrdiff_t>(window), asked_.end(), true);
  if (count < static_cast<std::ptrdiff_t>(n)) return false;
  active_ = !active_;
  asked_.clear();
  return active_;
}

void ThermalFilter::forget() {
  active_ = false;
  asked_.clear();
}

void ThermalZone::forget() {
  alarm_.forget();
  trip_.forget();
  out_.valid = out_.fault = out_.out_of_range = out_.sentinel = out_.stuck = false;
  bad_ = equal_ = 0;
  has_raw_ = false;
}

void ThermalZone::clear_peak() {
  out_.peak.reset();
  out_.samples = out_.changes = 0;
}

ThermalZone::Output ThermalZone::sample(const Input& input, const Config& config) {
  out_.powered = input.rail_good;
  out_.trip_begins = false;
  if (!input.rail_good) settled_ = 0;
  if ((!input.rail_good && !input.injected) || injected_before_ != input.injected.has_value()) forget();
  injected_before_ = input.injected.has_value();
  if (input.injected)
    take(*input.injected, config);
  else if (input.rail_good && settled_ >= config.settle)
    take(input.temperature, config);
  if (input.rail_good) settled_ = more(settled_, 15);
  out_.alarm = alarm_.active();
  out_.trip = trip_.active();
  return out_;
}

void ThermalZone::take(int value, const Config& config) {
  const bool same = has_raw_ && value == out_.raw;
  out_.samples = more(out_.samples, kMaxCount);
  if (has_raw_ && !same) out_.changes = more(out_.changes, kMaxCount);
  equal_ = same ? more(equal_, 4095) : 1;
  has_raw_ = true;
  out_.raw = value;
  out_.out_of_range = value < config.min || value > config.max;
  out_.sentinel = std::count(config.sentinels.begin(), config.sentinels.end(), value) > 0;
  const bool plausible = !out_.out_of_range && !out_.sentinel;
  bad_ = plausible ? 0 : more(bad_, 15);
  out_.stuck = config.stuck_samples > 0 && equal_ >= config.stuck_samples;
  out_.fault = bad_ >= std::max(1U, config.bad_samples) || out_.stuck;
  out_.valid = !out_.fault && (plausible || out_.valid);
  if (!plausible) return;
  out_.temperature = value;
  out_.peak = std::max(value, out_.peak.value_or(value));
  alarm_.sample(value, config.alarm);
  out_.trip_begins = trip_.sample(value, config.trip);
}

}  // namespace tb::golden
