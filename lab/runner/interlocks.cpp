#include "lab/runner/interlocks.h"

#include <fmt/format.h>

#include <deque>
#include <limits>

#include "lab/capabilities/rail.h"
#include "lab/runner/recorder.h"

namespace firstlight {

namespace {

constexpr Duration kUsualPeriod = std::chrono::milliseconds(10);
/// How long transfers that run may take to end by themselves before they are cut off.
constexpr Duration kGrace = std::chrono::milliseconds(200);
/// A reading that does not come for this long hangs; for less, this host or its network may only have been busy.
constexpr Duration kBusyHost = std::chrono::milliseconds(250);
constexpr Duration kLongestSuspend = std::chrono::seconds(60);
constexpr std::size_t kHistory = 64;

Limit limit_of(const InterlockPlan& plan) {
  Limit limit;
  if (plan.above) limit.max = plan.above->value;
  if (plan.below) limit.min = plan.below->value;
  limit.dimension = plan.above ? plan.above->dimension : plan.below ? plan.below->dimension : Dimension::none;
  return limit;
}

std::string time_text(Duration d) { return to_text(to_quantity(d), 3); }

/// ", above 1.5 A": the bound that the value is beyond.
std::string passed_text(const Limit& limit, const Quantity& value) {
  const auto bound = [&](double at) { return to_text(Quantity{at, limit.dimension}); };
  if (limit.max && value.value > *limit.max) return ", above " + bound(*limit.max);
  if (limit.min && value.value < *limit.min) return ", below " + bound(*limit.min);
  return ", outside " + to_text(limit);
}

}  // namespace

class Interlocks::Watch {
 public:
  Watch(Scheduler& scheduler, Bench& bench, const Ledger& ledger, RunListener& listener, const Actions& actions,
        const InterlockPlan& plan)
      : scheduler_(scheduler),
        bench_(bench),
        ledger_(ledger),
        listener_(listener),
        actions_(actions),
        plan_(plan),
        limit_(limit_of(plan)),
        period_(plan.period > Duration::zero() ? plan.period : kUsualPeriod),
        stop_(scheduler.make_event()),
        ticked_(scheduler.make_event()) {}

  void start() {
    fiber_ = scheduler_.spawn("interlock " + plan_.name, [this] { watch(); });
    watchdog_ = scheduler_.spawn("watchdog of interlock " + plan_.name, [this] { watch_the_watch(); });
  }
  void ask_to_stop() {
    stopping_ = true;
    stop_->fire();
    ticked_->fire();
  }
  /// Cuts off what runs at `end`.
  void stop(Instant end);

 private:
  enum class State { disarmed, armed, pending, acted };

  void watch();
  void tick();
  void watch_the_watch();
  void overdue();
  /// Without a good reading for longer it is blind.
  Duration patience() const { return plan_.dwell + 3 * period_; }
  void join(const Scheduler::Handle& fiber, Instant end);
  void give_up(const Failure& failure);
  bool rail_is_up(bool& off_by_itself);
  void arm_or_disarm();
  void judge_sample(const Quantity& value);
  void blind(const Failure& failure);
  void act(const FailureEvent& failure);
  void clear();
  bool beyond(double value, double hysteresis) const;
  void tell(const std::string& event, const std::optional<Quantity>& value,
            const std::optional<FailureEvent>& failure = {}, bool history = false);

  Scheduler& scheduler_;
  Bench& bench_;
  const Ledger& ledger_;
  RunListener& listener_;
  const Actions& actions_;
  const InterlockPlan& plan_;
  const Limit limit_;
  const Duration period_;
  std::unique_ptr<Event> stop_;
  std::unique_ptr<Event> ticked_;
  Scheduler::Handle fiber_;
  Scheduler::Handle watchdog_;
  bool stopping_ = false;
  Instant last_tick_{};
  State state_ = State::disarmed;
  Instant since_{};  // when it went outside, or acted
  bool tripped_ = false;
  bool suspended_ = false;
  bool seen_ = false;  // read at least once since it was armed
  std::optional<Instant> blind_since_;
  std::deque<std::pair<Instant, double>> history_;
  std::uint64_t samples_ = 0;
  std::optional<Quantity> worst_;
  Instant worst_at_{};
  double worst_margin_ = std::numeric_limits<double>::infinity();
};

void Interlocks::Watch::watch() {
  Instant next = scheduler_.now();
  try {
    do {
      tick();
      last_tick_ = scheduler_.now();
      ticked_->fire();
      next = std::max(next + period_, last_tick_);
    } while (!tripped_ && !scheduler_.wait(*stop_, next));
  } catch (const FailureError& error) {
    give_up(error.failure());
  } catch (const std::exception& error) {
    give_up({ErrorClass::bug, "unexpected_exception", fmt::format("interlock \"{}\": {}", plan_.name, error.what()),
             plan_.watch, "", "", "a bug in Firstlight or a driver"});
  }
}

/// The record cannot be written, or a driver has a bug: what cannot watch any more must not let the run go on.
void Interlocks::Watch::give_up(const Failure& failure) {
  tripped_ = true;
  const FailureEvent event{failure, scheduler_.now(), 0};
  actions_.trip(plan_, event);
  tell("tripped", {}, event);
}

/// A reading that hangs (behind a slow instrument, on a bus that is held) must not keep the interlock from acting.
void Interlocks::Watch::watch_the_watch() {
  last_tick_ = scheduler_.now();
  while (!stopping_ && !tripped_) {
    ticked_->reset();
    if (scheduler_.wait(*ticked_, scheduler_.now() + std::max(patience(), kBusyHost))) continue;
    try {
      overdue();
    } catch (const FailureError& error) {
      give_up(error.failure());
    }
  }
}

void Interlocks::Watch::overdue() {
  const Instant now = scheduler_.now();
  Failure failure{ErrorClass::infrastructure,
                  "interlock_blind",
                  fmt::format("interlock \"{}\" has had no reading of {} for {}", plan_.name, plan_.watch,
                              time_text(now - last_tick_)),
                  plan_.watch,
                  "",
                  "",
                  "what is watched does not answer, or others keep its bus or its instrument busy"};
  if (!blind_since_) {
    blind_since_ = last_tick_;
    tell("unreadable", {}, FailureEvent{failure, now, 0});
  }
  if (suspended_ && now - since_ > kLongestSuspend) return act({failure, now, 0});
  // Before its first reading it may be too early for the part.
  if (seen_ && (state_ == State::armed || state_ == State::pending)) act({failure, now, 0});
}

void Interlocks::Watch::tick() {
  arm_or_disarm();
  if (state_ == State::disarmed) return;
  if (suspended_ && scheduler_.now() - since_ > kLongestSuspend) {
    act({{ErrorClass::interlock, "interlock_suspend_timeout",
          fmt::format("{} did not come back within {} in {} s of waiting", plan_.watch, to_text(limit_),
                      seconds(kLongestSuspend)),
          plan_.watch, "", "", ""},
         scheduler_.now(),
         0});
    return;
  }
  Quantity value;
  try {
    value = bench_.measurable(plan_.watch).read();
  } catch (const FailureError& error) {
    blind(error.failure());
    return;
  }
  seen_ = true;
  blind_since_.reset();
  judge_sample(value);
}

/// On, and said to be good by its regulator. A rail that a fault has turned off is not off by itself.
bool Interlocks::Watch::rail_is_up(bool& off_by_itself) {
  try {
    const RailStatus status = bench_.rail(plan_.when).status();
    off_by_itself = !status.on && status.faults.empty();
    return status.on && status.power_good;
  } catch (const FailureError&) {
    off_by_itself = false;
    return false;
  }
}

void Interlocks::Watch::arm_or_disarm() {
  if (plan_.when.empty()) {
    if (state_ == State::disarmed) {
      state_ = State::armed;
      tell("armed", {});
    }
    return;
  }
  const bool live = ledger_.live("rail " + plan_.when);
  bool off_by_itself = false;
  if (state_ == State::disarmed && live && rail_is_up(off_by_itself)) {
    state_ = State::armed;
    seen_ = false;
    tell("armed", {});
  } else if (state_ != State::disarmed && !live) {
    if (suspended_) clear();
    state_ = State::disarmed;
    tell("disarmed", {});
  }
}

bool Interlocks::Watch::beyond(double value, double hysteresis) const {
  if (value != value) return true;
  return (limit_.max && value > *limit_.max - hysteresis) || (limit_.min && value < *limit_.min + hysteresis);
}

void Interlocks::Watch::judge_sample(const Quantity& value) {
  const Instant now = scheduler_.now();
  ++samples_;
  Sampled sample;
  sample.step = kBenchStep;
  sample.series = plan_.watch;
  sample.value = value;
  sample.source = "interlock";
  sample.owner = plan_.name;
  sample.at = now;
  listener_.sampled(sample);
  history_.emplace_back(now, value.value);
  if (history_.size() > kHistory) history_.pop_front();
  const double margin = margin_of(value.value, limit_);
  if (!(margin >= worst_margin_)) {
    worst_margin_ = margin;
    worst_ = value;
    worst_at_ = now;
  }
  if (state_ == State::acted) {
    if (!beyond(value.value, plan_.hysteresis ? plan_.hysteresis->value : 0)) clear();
    return;
  }
  if (!beyond(value.value, 0)) {
    if (state_ == State::pending) {
      state_ = State::armed;
      tell("cleared", value);
    }
    return;
  }
  bool off_by_itself = false;
  if (!plan_.when.empty() && !rail_is_up(off_by_itself) && off_by_itself) {
    // A step is turning the rail off; its ledger entry goes when it is down.
    state_ = State::disarmed;
    tell("disarmed", value);
    return;
  }
  if (state_ == State::armed) {
    state_ = State::pending;
    since_ = now;
    tell("pending", value);
  }
  if (now - since_ < plan_.dwell) return;
  act({{ErrorClass::interlock, "interlock_tripped",
        fmt::format("{} is {}{}{} (interlock \"{}\")", plan_.watch, to_text(value), passed_text(limit_, value),
                    now > since_ ? ", for " + time_text(now - since_) : "", plan_.name),
        plan_.watch, "", "", ""},
       now,
       0});
}

void Interlocks::Watch::blind(const Failure& failure) {
  const Instant now = scheduler_.now();
  const FailureEvent told{failure, now, 0};
  if (!blind_since_) {
    blind_since_ = now;
    tell("unreadable", {}, told);
  }
  // Before its first reading it may be too early for the part; that it never reads is for the sequence to find.
  if (!seen_ || state_ == State::acted || now - *blind_since_ <= patience()) return;
  FailureEvent event = told;
  event.failure.error_class = ErrorClass::infrastructure;
  event.failure.symptom = "interlock_blind";
  event.failure.message = fmt::format("interlock \"{}\" cannot read {} for {}: {}", plan_.name, plan_.watch,
                                      time_text(now - *blind_since_), failure.message);
  act(event);
}

void Interlocks::Watch::act(const FailureEvent& failure) {
  since_ = scheduler_.now();
  state_ = State::acted;
  std::optional<Quantity> value;
  if (!history_.empty()) value = Quantity{history_.back().second, limit_.dimension};
  const bool gives_up = suspended_;
  if (plan_.action == InterlockAction::warn) {
    tell("warned", value, failure, true);
  } else if (plan_.action == InterlockAction::suspend && !gives_up) {
    suspended_ = true;
    tell("suspended", value, failure, true);
    actions_.suspend(plan_);
  } else {
    tripped_ = true;
    tell("tripped", value, failure, true);
    actions_.trip(plan_, failure);
  }
}

void Interlocks::Watch::clear() {
  state_ = State::armed;
  std::optional<Quantity> value;
  if (!history_.empty()) value = Quantity{history_.back().second, limit_.dimension};
  if (!suspended_) {
    tell("cleared", value);
    return;
  }
  suspended_ = false;
  tell("resumed", value);
  actions_.resume(plan_);
}

void Interlocks::Watch::tell(const std::string& event, const std::optional<Quantity>& value,
                             const std::optional<FailureEvent>& failure, bool history) {
  InterlockEvent told;
  told.plan = &plan_;
  told.event = event;
  told.limit = limit_;
  told.value = value;
  told.failure = failure;
  if (history) told.samples.assign(history_.begin(), history_.end());
  told.at = scheduler_.now();
  listener_.interlock(told);
}

void Interlocks::Watch::join(const Scheduler::Handle& fiber, Instant end) {
  const Scheduler::Shield shield(scheduler_);
  if (!scheduler_.join(fiber, end)) scheduler_.cancel(fiber);
  while (!scheduler_.join(fiber, kNever)) {
  }
}

void Interlocks::Watch::stop(Instant end) {
  join(fiber_, end);
  join(watchdog_, end);
  if (suspended_) actions_.resume(plan_);
  suspended_ = false;
  InterlockEvent told;
  told.plan = &plan_;
  told.event = "summary";
  told.limit = limit_;
  told.value = worst_;
  told.worst_at = worst_at_;
  told.samples_taken = samples_;
  told.at = scheduler_.now();
  listener_.interlock(told);
  for (const auto& fiber : {fiber_, watchdog_})
    if (const auto error = Scheduler::error(fiber)) std::rethrow_exception(error);
}

Interlocks::Interlocks(Scheduler& scheduler, Bench& bench, const Ledger& ledger, RunListener& listener, Actions actions)
    : scheduler_(scheduler), actions_(std::move(actions)) {
  for (const auto& plan : bench.plan().interlocks)
    watches_.push_back(std::make_unique<Watch>(scheduler, bench, ledger, listener, actions_, plan));
}
Interlocks::~Interlocks() = default;

void Interlocks::start() {
  for (const auto& watch : watches_) watch->start();
}

void Interlocks::stop() {
  for (const auto& watch : watches_) watch->ask_to_stop();
  // One time for all: whoever waits to make the bench safe does not wait for each that hangs.
  const Instant end = scheduler_.now() + kGrace;
  for (const auto& watch : watches_) watch->stop(end);
  watches_.clear();
}

}  // namespace firstlight
