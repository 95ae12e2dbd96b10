#include "lab/runner/safe_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lab/capabilities/rail.h"
#include "lab/runner/recorder.h"

namespace firstlight {

namespace {

constexpr Duration kUndoTimeout = std::chrono::seconds(10);
constexpr Duration kUndoOfLoadTimeout = std::chrono::seconds(1);
constexpr Duration kLookTimeout = std::chrono::seconds(3);
constexpr Duration kConnect = std::chrono::seconds(2);
constexpr int kMostConnections = 2;
constexpr Duration kBetweenAttempts = std::chrono::milliseconds(20);
/// How long a rail may take to discharge before it counts as still on, and how often it is looked at.
constexpr Duration kDischarge = std::chrono::seconds(1);
constexpr Duration kLook = std::chrono::milliseconds(5);

std::string rail_key(const std::string& rail) { return "rail " + rail; }

class SafeState {
 public:
  explicit SafeState(const SafeStateRequest& request)
      : request_(request), scheduler_(request.scheduler), ledger_(request.ledger), bench_(request.bench) {}
  MadeSafe run();

 private:
  struct Failed {
    EnergisingAction action;
    FailureEvent event;
  };

  std::optional<Failure> attempt(const std::string& what, Duration timeout, const std::function<void(Bench&)>& body);
  std::optional<Failure> on_bench(const std::string& what, Duration timeout, const std::function<void(Bench&)>& body);
  bool connect_again();
  void undo_all();
  void verify_all();
  VerifiedRail verify(const std::string& rail, bool undo_was_good);
  void look(Rail& rail, VerifiedRail& seen);
  void tell_voltage(Rail& rail, const VerifiedRail& seen);
  void go_up();
  bool cut(const std::string& driver, const std::string& fed);
  std::string feeder_of(const std::string& rail) const;
  std::string feeder_of_driver(const std::string& driver) const;
  bool is_off(const Failed& failed) const;
  bool all_safe() const;
  void tell_end(Instant start);

  const SafeStateRequest& request_;
  Scheduler& scheduler_;
  Ledger& ledger_;
  Bench* bench_;
  int connections_left_ = kMostConnections;
  std::vector<Failed> failed_;
  std::set<std::string> cut_;  // drivers whose part is off
  MadeSafe made_;
};

/// Runs the body within its time and turns whatever goes wrong into a failure.
std::optional<Failure> SafeState::attempt(const std::string& what, Duration timeout,
                                          const std::function<void(Bench&)>& body) {
  try {
    if (scheduler_.run_bounded(what, scheduler_.now() + timeout, [&] { body(*bench_); }) == Scheduler::Bounded::done)
      return {};
    return Failure{ErrorClass::infrastructure,
                   "undo_timeout",
                   fmt::format("{}: not over after {} s", what, seconds(timeout)),
                   "",
                   "",
                   "",
                   "the part or its bus does not answer"};
  } catch (const FailureError& error) {
    return error.failure();
  } catch (const std::exception& error) {
    return Failure{ErrorClass::bug, "unexpected_exception", what + ": " + error.what(), "", "", "", ""};
  } catch (...) {
    return Failure{ErrorClass::bug, "unexpected_exception", what + ": something that is no exception", "", "", "", ""};
  }
}

/// Whether the same once more may go better: not where a part had all its time already.
bool worth_another_attempt(const Failure& failure) {
  return (failure.error_class == ErrorClass::infrastructure || failure.error_class == ErrorClass::bench) &&
         failure.symptom != "undo_timeout";
}

/// A transfer that went wrong, or a connection that died, is no reason to leave a part on: the same once more, and then
/// on new connections.
std::optional<Failure> SafeState::on_bench(const std::string& what, Duration timeout,
                                           const std::function<void(Bench&)>& body) {
  if (bench_ == nullptr && !connect_again())
    return Failure{ErrorClass::infrastructure,
                   "connect_failed",
                   what + ": the bench cannot be connected",
                   "",
                   "",
                   "",
                   "the instruments are off or their network is down"};
  bench_->safeguard().begin_safe_state();
  auto failure = attempt(what, timeout, body);
  if (failure && worth_another_attempt(*failure)) {
    scheduler_.sleep(kBetweenAttempts);
    failure = attempt(what, timeout, body);
  }
  if (failure && worth_another_attempt(*failure) && connect_again()) failure = attempt(what, timeout, body);
  return failure;
}

bool SafeState::connect_again() {
  if (!request_.reconnect || connections_left_ == 0) return false;
  --connections_left_;
  Bench* fresh = nullptr;
  try {
    const auto how =
        scheduler_.run_bounded("connect", scheduler_.now() + kConnect, [&] { fresh = request_.reconnect(); });
    if (how != Scheduler::Bounded::done) fresh = nullptr;
  } catch (const std::exception& error) {
    request_.listener.logged(
        {request_.step, Severity::error, std::string("cannot connect: ") + error.what(), scheduler_.now()});
  }
  if (fresh == nullptr) return false;
  bench_ = fresh;
  bench_->safeguard().begin_safe_state();
  return true;
}

void SafeState::undo_all() {
  while (!ledger_.entries().empty()) {
    const LedgerEntry entry = ledger_.entries().back();
    const EnergisingAction& action = entry.action;
    const Instant start = scheduler_.now();
    ledger_.undoing(request_.step, entry);
    // What its rails take along need not be waited for.
    const Duration timeout = request_.undo.needs_rails(action.undo) ? kUndoOfLoadTimeout : kUndoTimeout;
    const auto failure =
        on_bench("undo of " + action.key, timeout, [&](Bench& bench) { request_.undo.perform(bench, action.undo); });
    const Duration took = scheduler_.now() - start;
    if (failure) {
      const FailureEvent event{*failure, scheduler_.now(), 0};
      failed_.push_back({action, event});
      made_.failed.emplace_back(action.key, event);
      ledger_.undo_failed(request_.step, entry, took, event);
    } else {
      ++made_.undone;
      if (!action.undo.target.empty()) cut_.insert(action.undo.target);
      ledger_.undone(request_.step, entry, took);
    }
  }
}

/// One look at a rail. `safe` is what the voltage says.
void SafeState::look(Rail& rail, VerifiedRail& seen) {
  const RailPlan& plan = rail.plan();
  seen.independent = !plan.sense.empty();
  try {
    seen.on = rail.status().on;
  } catch (const FailureError& error) {
    seen.on.reset();  // a regulator without input power does not answer
    seen.note = "its regulator does not answer: " + error.failure().message;
  }
  const Voltage voltage = seen.independent ? Voltage(bench_->measurable(plan.sense).read()) : rail.voltage();
  seen.voltage = voltage.base();
  seen.safe = voltage <= plan.residual && !seen.on.value_or(false);
}

VerifiedRail SafeState::verify(const std::string& name, bool undo_was_good) {
  VerifiedRail seen;
  seen.rail = name;
  std::optional<Instant> end;
  const auto failure = on_bench("look at " + name, kLookTimeout, [&](Bench& bench) {
    Rail& rail = bench.rail(name);
    seen.residual = rail.plan().residual.base();
    if (!end) end = scheduler_.now() + std::max(kDischarge, 2 * rail.plan().safe_ramp);
    while (true) {
      // A look that began before the end may have been held up; the last one begins after it.
      const Instant looked = scheduler_.now();
      seen.note.clear();
      look(rail, seen);
      // Without a sense point the regulator's word about its voltage is all there is, and it may be stuck.
      if (seen.safe || looked >= *end) break;
      scheduler_.sleep(kLook);
    }
    tell_voltage(rail, seen);
  });
  if (failure) {
    // Its own read-back while it was turned off is the best that is known.
    seen.safe = undo_was_good && !seen.voltage;
    seen.note = "cannot be read: " + failure->message;
  }
  return seen;
}

void SafeState::tell_voltage(Rail& rail, const VerifiedRail& seen) {
  Measured measured;
  measured.step = request_.step;
  measured.subject = seen.independent ? rail.plan().sense : seen.rail + ".voltage";
  measured.measure = seen.independent ? seen.rail : "";
  measured.part = rail.part();
  measured.value = Voltage(*seen.voltage).quantity();
  measured.limit = Limit::at_most(rail.plan().residual.quantity());
  measured.verdict = judge(*seen.voltage, *measured.limit);
  measured.at = scheduler_.now();
  request_.listener.measured(measured);
}

void SafeState::verify_all() {
  made_.verified.clear();
  if (bench_ == nullptr) return;
  const std::vector<RailPlan> rails = bench_->plan().rails;  // the bench may be another one after each look
  for (const RailPlan& rail : rails) {
    const std::string key = rail_key(rail.name);
    if (!ledger_.ever_live(key)) continue;
    const bool failed =
        std::any_of(failed_.begin(), failed_.end(), [&](const Failed& one) { return one.action.key == key; });
    made_.verified.push_back(verify(rail.name, !failed));
  }
}

std::string SafeState::feeder_of_driver(const std::string& driver) const {
  for (const DriverPlan& plan : bench_->plan().drivers)
    if (plan.name == driver) return plan.fed_by;
  return {};
}

std::string SafeState::feeder_of(const std::string& rail) const {
  for (const RailPlan& plan : bench_->plan().rails)
    if (plan.name == rail) return plan.fed_by.empty() ? feeder_of_driver(plan.driver) : plan.fed_by;
  return {};
}

/// Turns off the part of a driver because what it feeds is still on. True when that was done.
bool SafeState::cut(const std::string& driver, const std::string& fed) {
  const auto undo = request_.undo.turn_off(*bench_, driver);
  if (!undo) return false;
  const EnergisingAction action{fmt::format("{} feeds {}, which did not turn off", driver, fed),
                                fmt::format("{} off, read back", driver), driver, *undo};
  const Instant start = scheduler_.now();
  const auto failure =
      on_bench("cut of " + driver, kUndoTimeout, [&](Bench& bench) { request_.undo.perform(bench, *undo); });
  std::optional<FailureEvent> event;
  if (failure) event = FailureEvent{*failure, scheduler_.now(), 0};
  ledger_.cut(request_.step, action, scheduler_.now() - start, event);
  if (!failure) cut_.insert(driver);
  return !failure;
}

/// From what is still on, to what feeds it, to what feeds that.
void SafeState::go_up() {
  if (bench_ == nullptr) return;
  std::vector<std::pair<std::string, std::string>> feeders;  // of what
  const auto add = [&](const std::string& feeder, const std::string& fed) {
    const bool known =
        std::any_of(feeders.begin(), feeders.end(), [&](const auto& one) { return one.first == feeder; });
    if (!feeder.empty() && !known) feeders.emplace_back(feeder, fed);
  };
  for (const VerifiedRail& rail : made_.verified)
    if (!rail.safe) add(feeder_of(rail.rail), rail.rail);
  for (const Failed& failed : failed_)
    if (!is_off(failed)) add(feeder_of_driver(failed.action.undo.target), failed.action.undo.target);
  for (std::size_t i = 0; i < feeders.size(); ++i) {
    const auto [feeder, fed] = feeders[i];
    const bool off = cut_.count(feeder) != 0;
    if (!off && cut(feeder, fed)) {
      verify_all();
      if (all_safe()) return;
    }
    add(feeder_of_driver(feeder), feeder);
  }
}

/// An undo that failed does no harm when what it should have turned off is seen to be off (its supply went after it).
bool SafeState::is_off(const Failed& failed) const {
  const auto seen_off = [](const VerifiedRail& rail) { return rail.safe && rail.voltage; };
  const Undo& undo = failed.action.undo;
  if (request_.undo.needs_rails(undo))
    return !made_.verified.empty() && std::all_of(made_.verified.begin(), made_.verified.end(), seen_off);
  if (bench_ != nullptr && cut_.count(feeder_of_driver(undo.target)) != 0) return true;
  return std::any_of(made_.verified.begin(), made_.verified.end(), [&](const VerifiedRail& rail) {
    return rail_key(rail.rail) == failed.action.key && seen_off(rail);
  });
}

bool SafeState::all_safe() const {
  return std::all_of(made_.verified.begin(), made_.verified.end(),
                     [](const VerifiedRail& rail) { return rail.safe; }) &&
         std::all_of(failed_.begin(), failed_.end(), [this](const Failed& failed) { return is_off(failed); });
}

MadeSafe SafeState::run() {
  StepStarted started;
  started.step = request_.step;
  started.title = "safe state";
  started.kind = StepKind::pseudo;
  started.at = scheduler_.now();
  request_.listener.step_started(started);
  if (bench_ != nullptr) bench_->safeguard().begin_safe_state();
  made_.reason = request_.reason;
  made_.step = request_.step;
  undo_all();
  verify_all();
  if (!all_safe()) go_up();
  made_.safe = all_safe();
  made_.at = scheduler_.now();
  request_.listener.made_safe(made_);
  tell_end(started.at);
  ledger_.close(made_.safe);
  return made_;
}

void SafeState::tell_end(Instant start) {
  StepEnded ended;
  ended.step = request_.step;
  ended.kind = StepKind::pseudo;
  ended.attempts = 1;
  ended.verdict = made_.safe && made_.failed.empty() ? Verdict::pass : Verdict::error;
  if (!made_.failed.empty()) {
    ended.failure = made_.failed.front().second;
  } else if (!made_.safe) {
    ended.failure = bench_unsafe(made_);
  }
  ended.at = made_.at;
  ended.duration = ended.at - start;
  request_.listener.step_ended(ended);
}

}  // namespace

MadeSafe make_safe(const SafeStateRequest& request) { return SafeState(request).run(); }

FailureEvent bench_unsafe(const MadeSafe& made) {
  FailureEvent event;
  event.at = made.at;
  Failure& failure = event.failure;
  failure.error_class = ErrorClass::infrastructure;
  failure.symptom = "bench_unsafe";
  for (const auto& rail : made.verified) {
    if (rail.safe) continue;
    failure.message += failure.message.empty() ? "" : ", ";
    failure.message += rail.voltage ? "still energised: " + rail.rail + " at " + to_text(Voltage(*rail.voltage))
                                    : "not seen to be off: " + rail.rail;
    if (failure.part.empty()) failure.part = rail.rail;
  }
  for (const auto& [key, why] : made.failed) {
    failure.message += failure.message.empty() ? "" : "; ";
    failure.message += "undo of \"" + key + "\" failed: " + why.failure.message;
    if (failure.part.empty()) failure.part = why.failure.part.empty() ? key : why.failure.part;
  }
  failure.likely_cause = "turn the bench off by hand before touching it";
  return event;
}

}  // namespace firstlight
