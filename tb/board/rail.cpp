#include "tb/board/rail.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tb::board {

using firstlight::Current;
using firstlight::Voltage;

namespace {
double now_seconds() { return sc_core::sc_time_stamp().to_seconds(); }
// A crossing is looked at a moment after it, so that rounding cannot leave it just short.
constexpr double kPast = 1e-9;
std::int64_t now_picoseconds() { return static_cast<std::int64_t>(sc_core::sc_time_stamp().value()); }
sc_core::sc_time from_picoseconds(std::int64_t time) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(time));
}
}  // namespace

double Rail::Course::at(double t) const {
  if (t >= t2) return to;
  if (t <= t1) return from;
  return from + (to - from) * (t - t1) / (t2 - t1);
}

Rail::Rail(instruments::Agenda& agenda, RailParameters parameters)
    : agenda_(agenda), parameters_(std::move(parameters)) {
  if (parameters_.response) response_.emplace(*parameters_.response, parameters_.time_scale);
}

Rail::~Rail() {
  agenda_.cancel(entry_);
  agenda_.cancel(crossing_);
}

double Rail::tau() const { return parameters_.capacitance.farad / (load_ + 1.0 / parameters_.bleeder.base()); }

double Rail::divider() const {
  const double line = parameters_.load_line.base() * faults_.load_line_scale;
  return faults_.output_scale * disturbance_ / (1.0 + line * load_);
}

double Rail::decay(double t) const {
  const double left = left_ * std::exp(-std::max(0.0, t - left_at_) / tau());
  return std::max(left, faults_.backfeed.base());
}

double Rail::volts(double t) const {
  const double rest = decay(t);
  return driving_ ? std::max(rest, course_.at(t) * divider()) : rest;
}

Voltage Rail::voltage() const { return Voltage(volts(now_seconds())); }
Current Rail::current() const { return Current(volts(now_seconds()) * load_); }

bool Rail::settled() const { return driving_ && now_seconds() >= course_.t2; }

Voltage Rail::highest() const { return Voltage(std::max(highest_, volts(now_seconds()))); }

void Rail::forget_highest() { highest_ = volts(now_seconds()); }

void Rail::witness(Voltage level) {
  witnessed_ = level.base();
  note();
  join_levels();
}

Voltage Rail::instant_voltage() const {
  return response_ && response_->active() ? Voltage(response_->at(now_picoseconds())) : voltage();
}

/// What has been reached up to now.
void Rail::gather() {
  if (response_)
    if (const auto more = response_->take_extremes(now_picoseconds())) join(extremes_, *more);
  const double now = instant_voltage().base();
  join(extremes_, {now, now});
}

const Extremes& Rail::extremes() {
  gather();
  return *extremes_;
}

void Rail::forget_extremes() {
  gather();
  extremes_.reset();
  gather();
}

/// Tells the response what it answers with, whenever that may have changed.
void Rail::follow_operation() {
  if (!response_) return;
  const double source = course_.to * faults_.output_scale * disturbance_;
  const bool still = settled() && !stops_ && source > decay(now_seconds());
  if (still)
    response_->operate(now_picoseconds(), {source, parameters_.load_line.base() * faults_.load_line_scale, base_load_});
  else
    response_->suspend(now_picoseconds());
  plan_crossing();
}

void Rail::plan_crossing() {
  const auto next = response_->next_crossing(now_picoseconds(), watched_);
  if (!next && !crossing_.valid()) return;
  agenda_.cancel(crossing_);
  if (!next) return;
  crossing_ = agenda_.at(from_picoseconds(*next), [this] {
    crossing_ = {};
    changed();
  });
}

void Rail::set_base_load(Conductance load) {
  if (load.siemens == base_load_) return;
  base_load_ = load.siemens;
  follow_operation();
}

void Rail::follow(const std::vector<LoadStep>& steps) {
  if (!response_ || steps.empty()) return;
  response_->follow(now_picoseconds(), steps);
  plan_crossing();
}

void Rail::note() {
  const double now = volts(now_seconds());
  highest_ = std::max(highest_, now);
  if (!response_ || !response_->active()) join(extremes_, {now, now});
  if (!witnessed_) return;
  // A crossing is looked at a moment after it, when it is past the level by a hair.
  if (now > *witnessed_)
    below_since_.reset();
  else if (!below_since_)
    below_since_ = sc_core::sc_time_stamp();
}

void Rail::rebase() {
  note();
  const double now = now_seconds();
  left_ = left_ * std::exp(-std::max(0.0, now - left_at_) / tau());
  left_at_ = now;
}

void Rail::turn_on(Voltage target, sc_core::sc_time delay, sc_core::sc_time rise) {
  note();
  const double now = now_seconds();
  left_ = volts(now);
  left_at_ = now;
  course_.from = 0;
  course_.to = target.base();
  course_.t1 = now + delay.to_seconds();
  course_.t2 = course_.t1 + rise.to_seconds() * faults_.rise_scale;
  driving_ = true;
  stops_ = false;
  changed();
}

void Rail::turn_off(sc_core::sc_time delay, sc_core::sc_time fall) {
  note();
  if (!driving_ || faults_.ignore_off) return;
  const double now = now_seconds();
  const bool ramps = fall > sc_core::SC_ZERO_TIME;
  course_.from = course_.at(now);
  course_.to = ramps ? 0.0 : course_.from;
  course_.t1 = now + delay.to_seconds();
  course_.t2 = course_.t1 + fall.to_seconds();
  left_ = 0;
  stops_ = true;
  if (course_.t2 <= now) stop_driving();
  changed();
}

void Rail::move_to(Voltage target, firstlight::VoltageSlew slew) {
  note();
  if (!driving_ || stops_) return;
  const double now = now_seconds();
  course_.from = course_.at(now);
  course_.to = target.base();
  course_.t1 = now;
  course_.t2 = slew.base() > 0 ? now + std::abs(course_.to - course_.from) / slew.base() : now;
  left_ = 0;
  changed();
}

void Rail::stop_driving() {
  note();
  const double now = now_seconds();
  left_ = volts(now);
  left_at_ = now;
  driving_ = false;
  stops_ = false;
}

void Rail::cut() {
  if (!driving_) return;
  stop_driving();
  changed();
}

void Rail::disturb(double scale) {
  rebase();
  disturbance_ = scale;
  changed();
}

void Rail::set_load(Conductance load) {
  // A thousandth of the load is below what anyone on the board can see, and not worth waking the controllers for.
  if (std::abs(load.siemens - load_) <= 1e-3 * load_) return;
  rebase();
  load_ = load.siemens;
  changed();
}

void Rail::set_faults(const RailFaults& faults) {
  rebase();
  faults_ = faults;
  if (response_) response_->set_decoupling(now_picoseconds(), faults_.decoupling);
  changed();
}

void Rail::watch(std::vector<Voltage> levels) {
  watched_.clear();
  for (const Voltage level : levels) watched_.push_back(level.base());
  join_levels();
}

void Rail::join_levels() {
  levels_ = watched_;
  if (witnessed_) levels_.push_back(*witnessed_);
  if (response_) plan_crossing();
  schedule();
}

void Rail::on_event(std::function<void()> action) { actions_.push_back(std::move(action)); }

void Rail::changed() {
  note();
  follow_operation();
  schedule();
  for (const auto& action : actions_) action();
}

void Rail::consider(double& next, double now, double when) const {
  // Half of it lies between what has been looked at and what has not: the agenda rounds to picoseconds.
  if (when + kPast / 2 > now) next = std::min(next, when + kPast);
}

void Rail::consider_course(double& next, double now) const {
  consider(next, now, course_.t1);
  consider(next, now, course_.t2);
  const double k = divider();
  for (const double level : levels_) {
    const double share = (level / k - course_.from) / (course_.to - course_.from);
    if (share > 0 && share < 1) consider(next, now, course_.t1 + share * (course_.t2 - course_.t1));
  }
}

void Rail::schedule() {
  agenda_.cancel(entry_);
  const double now = now_seconds();
  double next = std::numeric_limits<double>::infinity();
  if (driving_) consider_course(next, now);
  if (stops_) next = std::min(next, std::max(course_.t2, now) + kPast);
  for (const double level : levels_)
    if (left_ > level && level > faults_.backfeed.base())
      consider(next, now, left_at_ + tau() * std::log(left_ / level));
  if (!std::isfinite(next)) return;
  entry_ = agenda_.at(sc_core::sc_time(next, sc_core::SC_SEC), [this] {
    entry_ = {};
    if (stops_ && now_seconds() >= course_.t2) stop_driving();
    changed();
  });
}

}  // namespace tb::board
