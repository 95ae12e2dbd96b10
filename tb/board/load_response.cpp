#include "tb/board/load_response.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tb::board {

namespace {
constexpr double kPi = 3.14159265358979323846;
constexpr double kPicosecond = 1e-12;
constexpr double kMostDamped = 0.95;  // of what would not swing any more
constexpr int kTurnsLookedAt = 8;     // of a stretch without an end; what comes later is too small to cross anything
}  // namespace

void join(std::optional<Extremes>& sum, const Extremes& more) {
  if (!sum) {
    sum = more;
    return;
  }
  sum->lowest = std::min(sum->lowest, more.lowest);
  sum->highest = std::max(sum->highest, more.highest);
}

LoadResponse::LoadResponse(const ResponseParameters& parameters, double time_scale)
    : parameters_(parameters), time_scale_(time_scale), stretches_(1) {
  work_out();
}

void LoadResponse::work_out() {
  const double farad = parameters_.farad * share_;
  const double damping = parameters_.damping / share_;
  const double natural = std::sqrt((1 + operation_.line / damping) / (parameters_.henry * farad));
  const double decay = 0.5 * (operation_.line / parameters_.henry + 1 / (damping * farad));
  decay_ = std::min(decay, kMostDamped * natural) / time_scale_;
  omega_ = std::sqrt(natural * natural / (time_scale_ * time_scale_) - decay_ * decay_);
  // Stretched time keeps currents and voltages when both L and C grow with it.
  farad_ = farad * time_scale_;
  last_ = {};
}

double LoadResponse::rest(double siemens) const {
  return operation_.source / (1 + operation_.line * (operation_.base + siemens));
}

LoadResponse::State LoadResponse::after(const Stretch& stretch, std::int64_t duration) const {
  if (duration != last_.duration) {
    const double t = static_cast<double>(duration) * kPicosecond;
    const double fade = std::exp(-decay_ * t);
    const double c = fade * std::cos(omega_ * t);
    const double s = fade * std::sin(omega_ * t) / omega_;
    last_ = {duration, c + decay_ * s, s, -(omega_ * omega_ + decay_ * decay_) * s, c - decay_ * s};
  }
  return {last_.xx * stretch.x + last_.xs * stretch.slope, last_.sx * stretch.x + last_.ss * stretch.slope};
}

/// Seconds from the beginning of a stretch until x turns for the first time; it turns again every pi / omega.
double LoadResponse::turn(const Stretch& stretch) const {
  const double sine = (stretch.slope + decay_ * stretch.x) / omega_;
  double angle = std::atan2(stretch.slope, omega_ * stretch.x + decay_ * sine);
  if (angle <= 0) angle += kPi;
  return angle / omega_;
}

namespace {
double swing(double x, double slope, double decay, double omega, double t) {
  return std::exp(-decay * t) * (x * std::cos(omega * t) + (slope + decay * x) / omega * std::sin(omega * t));
}
}  // namespace

void LoadResponse::bound(Stretch& stretch, std::int64_t duration, const State& end) const {
  double low = std::min(stretch.x, end.x);
  double high = std::max(stretch.x, end.x);
  const double seconds = static_cast<double>(duration) * kPicosecond;
  // Within half a swing there is at most one turn, and then the slope has changed its sign.
  if (seconds * omega_ > kPi / 2 || stretch.slope * end.slope < 0) {
    const double first = turn(stretch);
    for (const double t : {first, first + kPi / omega_}) {
      if (t >= seconds) break;
      const double x = swing(stretch.x, stretch.slope, decay_, omega_, t);
      low = std::min(low, x);
      high = std::max(high, x);
    }
  }
  stretch.reached = {stretch.rest + low, stretch.rest + high};
}

void LoadResponse::bound_for_ever(Stretch& stretch) const {
  // The first two turns are the farthest to both sides.
  const double first = turn(stretch);
  const double a = swing(stretch.x, stretch.slope, decay_, omega_, first);
  const double b = swing(stretch.x, stretch.slope, decay_, omega_, first + kPi / omega_);
  stretch.reached = {stretch.rest + std::min({stretch.x, a, b}), stretch.rest + std::max({stretch.x, a, b})};
}

void LoadResponse::append(const LoadStep& step) {
  Stretch& last = stretches_.back();
  const std::int64_t at = std::max(step.at, last.from);
  const State end = after(last, at - last.from);
  bound(last, at - last.from, end);
  Stretch next;
  next.from = at;
  next.siemens = step.siemens;
  next.rest = rest(step.siemens);
  next.x = end.x + last.rest - next.rest;
  next.slope = end.slope - (step.siemens - last.siemens) * (last.rest + end.x) / farad_;
  stretches_.push_back(next);
}

/// Drops what is over, and remembers what was reached in it.
void LoadResponse::pass(std::int64_t now) {
  const std::size_t index = index_at(now);
  if (active_)
    for (std::size_t i = 0; i < index; ++i) join(extremes_, stretches_[i].reached);
  stretches_.erase(stretches_.begin(), stretches_.begin() + static_cast<std::ptrdiff_t>(index));
}

/// Makes the first stretch begin now.
void LoadResponse::split(std::int64_t now) {
  pass(now);
  Stretch& front = stretches_.front();
  if (now <= front.from) return;
  const State state = after(front, now - front.from);
  bound(front, now - front.from, state);
  if (active_) join(extremes_, front.reached);
  Stretch rest_of_it = front;
  rest_of_it.from = now;
  rest_of_it.x = state.x;
  rest_of_it.slope = state.slope;
  restart(now, rest_of_it);
}

/// Begins with `front`, and works out anew what is known to follow.
void LoadResponse::restart(std::int64_t now, const Stretch& front) {
  std::vector<LoadStep> steps;
  for (const Stretch& stretch : stretches_)
    if (stretch.from > now) steps.push_back({stretch.from, stretch.siemens});
  stretches_.assign(1, front);
  for (const LoadStep& step : steps) append(step);
  bound_for_ever(stretches_.back());
}

void LoadResponse::operate(std::int64_t now, const Operation& operation) {
  if (active_ && operation.source == operation_.source && operation.line == operation_.line &&
      operation.base == operation_.base)
    return;
  split(now);
  Stretch front = stretches_.front();
  const bool was_active = std::exchange(active_, true);
  const double other_base = operation.base - operation_.base;
  const bool other_line = operation.line != operation_.line;
  operation_.source = operation.source;
  operation_.line = operation.line;
  if (other_line) work_out();
  const double before = rest(front.siemens);
  operation_.base = operation.base;
  front.rest = rest(front.siemens);
  if (was_active) {
    front.slope -= other_base * (before + front.x) / farad_;
    front.x += before - front.rest;
  } else {
    front.x = front.slope = 0;
  }
  restart(now, front);
}

void LoadResponse::suspend(std::int64_t now) {
  if (!active_) return;
  split(now);
  active_ = false;
  operation_.source = 0;
  Stretch front = stretches_.front();
  front.rest = front.x = front.slope = 0;
  restart(now, front);
}

void LoadResponse::set_decoupling(std::int64_t now, double share) {
  if (share == share_) return;
  split(now);
  share_ = share;
  work_out();
  restart(now, Stretch(stretches_.front()));
}

void LoadResponse::follow(std::int64_t now, const std::vector<LoadStep>& steps) {
  pass(now);
  stretches_.resize(1);
  for (const LoadStep& step : steps) append(step);
  bound_for_ever(stretches_.back());
}

std::size_t LoadResponse::index_at(std::int64_t now) const {
  std::size_t index = 0;
  while (index + 1 < stretches_.size() && stretches_[index + 1].from <= now) ++index;
  return index;
}

double LoadResponse::at(std::int64_t now) const {
  const Stretch& stretch = stretches_[index_at(now)];
  return stretch.rest + after(stretch, std::max<std::int64_t>(0, now - stretch.from)).x;
}

std::optional<std::int64_t> LoadResponse::next_crossing(std::int64_t now, const std::vector<double>& levels) const {
  if (!active_) return std::nullopt;
  const std::size_t first = index_at(now);
  const std::int64_t beyond =
      static_cast<std::int64_t>((kTurnsLookedAt + 1) * kPi / omega_ / kPicosecond) + stretches_.back().from;
  for (std::size_t i = first; i < stretches_.size(); ++i) {
    const Stretch& stretch = stretches_[i];
    const bool near = std::any_of(levels.begin(), levels.end(), [&](double level) {
      return level >= stretch.reached.lowest && level <= stretch.reached.highest;
    });
    if (!near) continue;
    const std::int64_t until = i + 1 < stretches_.size() ? stretches_[i + 1].from : std::max(beyond, now);
    if (const auto crossing = crossing_in(stretch, std::max(now, stretch.from), until, levels)) return crossing;
  }
  return std::nullopt;
}

std::optional<std::int64_t> LoadResponse::crossing_in(const Stretch& stretch, std::int64_t from, std::int64_t until,
                                                      const std::vector<double>& levels) const {
  const double first = turn(stretch);
  const double half = kPi / omega_;
  std::int64_t begin = from;
  for (int k = 0; begin < until; ++k) {
    const auto turned = stretch.from + static_cast<std::int64_t>((first + k * half) / kPicosecond);
    if (turned <= begin) continue;
    const std::int64_t end = std::min(turned, until);
    const double a = stretch.rest + after(stretch, begin - stretch.from).x;
    const double b = stretch.rest + after(stretch, end - stretch.from).x;
    std::optional<std::int64_t> earliest;
    for (const double level : levels) {
      if ((a < level) == (b < level)) continue;
      const std::int64_t at = bisect(stretch, begin, end, level);
      if (!earliest || at < *earliest) earliest = at;
    }
    if (earliest) return earliest;
    begin = end;
  }
  return std::nullopt;
}

/// The first picosecond on the other side of the level; x runs one way in between.
std::int64_t LoadResponse::bisect(const Stretch& stretch, std::int64_t before, std::int64_t behind,
                                  double level) const {
  const auto below = [&](std::int64_t t) {
    const double seconds = static_cast<double>(t - stretch.from) * kPicosecond;
    return stretch.rest + swing(stretch.x, stretch.slope, decay_, omega_, seconds) < level;
  };
  const bool side = below(before);
  while (behind - before > 1) {
    const std::int64_t middle = before + (behind - before) / 2;
    (below(middle) == side ? before : behind) = middle;
  }
  return behind;
}

std::optional<Extremes> LoadResponse::take_extremes(std::int64_t now) {
  split(now);
  std::optional<Extremes> taken;
  taken.swap(extremes_);
  return taken;
}

}  // namespace tb::board
