#include "lab/runner/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/runner/interlocks.h"
#include "lab/runner/recorder.h"
#include "lab/runner/safe_state.h"
#include "lab/runner/step_context.h"
#include "lab/runner/step_tree.h"

namespace firstlight {

namespace {

constexpr Duration kConnectTimeout = std::chrono::seconds(60);
constexpr Duration kStandbyTimeout = std::chrono::seconds(30);
constexpr Duration kHeartbeat = std::chrono::milliseconds(50);
/// How long it takes the guardian to end this process when the bench is not safe.
constexpr Duration kEndOfProcess = std::chrono::seconds(10);

FirstFailure of_bench(const std::string& id, const FailureEvent& event) {
  FirstFailure first;
  first.event = event;
  first.step = kBenchStep;
  first.id = id;
  first.title = id;
  return first;
}

int exit_status_of_error(const std::optional<FirstFailure>& first) {
  if (!first) return 3;
  if (first->event.failure.error_class == ErrorClass::sequence) return 2;
  return first->event.failure.error_class == ErrorClass::operator_ ? 130 : 3;
}

}  // namespace

class Runner::Impl {
 public:
  Impl(Scheduler& scheduler, RunListener& listener, RunRequest request)
      : scheduler_(scheduler),
        listener_(listener),
        request_(std::move(request)),
        ledger_(request_.folder + "/ledger.jsonl", listener, scheduler, request_.standby),
        gate_(scheduler) {}

  RunEnded run() {
    try {
      scheduler_.run([this] { main(); });
      scheduler_.while_waiting({});
    } catch (...) {
      scheduler_.while_waiting({});
      if (request_.standby != nullptr && ledger_.entries().empty()) request_.standby->ended(true);
      throw;
    }
    return ended_;
  }
  void stop(Stop cause);
  bool bench_is_safe() const { return safe_; }

 private:
  enum class Level { none, teardown, at_once };

  void main();
  bool connect();
  void stand_by();
  void lost_standby(const Failure& failure);
  MadeSafe make_bench_safe();
  void run_phases();
  void run_sequence(StepTree& tree);
  Outcome run_phase(StepTree& tree, const PhasePlan& phase, int index);
  void run_body(StepTree& tree, const PhasePlan& phase, Instant deadline, Outcome& outcome);
  void run_teardown(StepTree& tree, const PhasePlan& phase, Outcome& outcome);
  void skip_phase(StepTree& tree, const PhasePlan& phase, int index, const std::string& reason);
  void end_phase(const PhasePlan& phase, const Outcome& outcome, const std::string& skip_reason, int attempts,
                 const std::optional<FailureEvent>& own, Instant start);
  void stop_monitors();
  void tripped(const InterlockPlan& plan, const FailureEvent& failure);
  void halt(Level level, const std::string& reason);
  void account_for(const MadeSafe& made);
  void blame(Verdict verdict, const FirstFailure& first) { total_.blame(verdict, first); }
  int exit_status() const;
  void finish(bool safe);

  Scheduler& scheduler_;
  RunListener& listener_;
  const RunRequest request_;
  Ledger ledger_;
  Gate gate_;
  std::unique_ptr<Bench> bench_;
  std::unique_ptr<Monitors> monitors_;
  std::unique_ptr<RunContext> context_;
  std::unique_ptr<Interlocks> interlocks_;
  Level level_ = Level::none;
  std::string reason_ = "end of run";
  bool by_operator_ = false;
  bool by_interlock_ = false;
  bool by_timeout_ = false;
  bool safe_ = false;
  Scheduler::Handle body_;
  Scheduler::Handle teardown_;
  Scheduler::Handle heart_;
  Outcome total_;
  RunEnded ended_;
};

void Runner::Impl::stop(Stop cause) {
  const bool again = by_operator_;
  by_operator_ = true;
  const std::string name = cause == Stop::operator_ ? "operator" : cause == Stop::hung_up ? "SIGHUP" : "SIGTERM";
  if (!again) {
    FailureEvent event{
        {ErrorClass::operator_, "operator_abort", "stopped by " + name, "", "", "", ""}, scheduler_.now(), 0};
    FirstFailure first = of_bench(name, event);
    if (context_) first.during = context_->running;
    blame(Verdict::aborted, first);
  }
  halt(again ? Level::at_once : Level::teardown, again ? name + ", twice" : name);
}

void Runner::Impl::tripped(const InterlockPlan& plan, const FailureEvent& failure) {
  by_interlock_ = by_interlock_ || failure.failure.error_class == ErrorClass::interlock;
  FirstFailure first = of_bench("interlock " + plan.name, failure);
  first.during = context_->running;
  blame(verdict_of(failure.failure.error_class), first);
  halt(Level::at_once, "interlock " + plan.name);
}

void Runner::Impl::halt(Level level, const std::string& reason) {
  if (level > level_) {
    level_ = level;
    reason_ = reason;
    if (context_) context_->stop_reason = reason;
  }
  if (body_) scheduler_.cancel(body_);
  if (teardown_ && level_ == Level::at_once) scheduler_.cancel(teardown_);
}

bool Runner::Impl::connect() {
  std::optional<Failure> failure;
  try {
    const auto how = scheduler_.run_bounded("connect", scheduler_.now() + kConnectTimeout, [this] {
      bench_ = request_.connect(scheduler_);
      if (request_.standby != nullptr) request_.standby->wait_until_ready(scheduler_.now() + kStandbyTimeout);
    });
    if (how == Scheduler::Bounded::timed_out) {
      failure = Failure{ErrorClass::infrastructure,
                        "connect_timeout",
                        "the bench was not connected within 60 s",
                        "",
                        "",
                        "",
                        "an instrument or a bus that does not answer"};
    }
  } catch (const FailureError& error) {
    failure = error.failure();
  } catch (const std::exception& error) {
    failure = Failure{ErrorClass::bug, "unexpected_exception", error.what(), "", "", "", ""};
  }
  if (failure) blame(verdict_of(failure->error_class), of_bench("connect", {*failure, scheduler_.now(), 0}));
  return !failure && bench_ != nullptr;
}

/// Tells who stands by that this process lives, from the bench thread: a heart that beat in a thread of its own would
/// beat on when the bench thread hangs. Who stands by goes by the wall clock, and the heart's fiber by bench time,
/// which falls behind on a slow table: there it beats while the thread waits, too.
void Runner::Impl::stand_by() {
  if (request_.standby == nullptr) return;
  request_.standby->when_lost([this](const Failure& failure) { lost_standby(failure); });
  heart_ = scheduler_.spawn("heartbeat", [this] {
    while (true) {
      request_.standby->beat();
      scheduler_.sleep(kHeartbeat);
    }
  });
  scheduler_.while_waiting([standby = request_.standby, last = std::chrono::steady_clock::now()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < kHeartbeat) return;
    last = now;
    standby->beat();
  });
}

void Runner::Impl::lost_standby(const Failure& failure) {
  FirstFailure first = of_bench("guardian", {failure, scheduler_.now(), 0});
  if (context_) first.during = context_->running;
  blame(Verdict::error, first);
  halt(Level::at_once, "the guardian is gone");
}

MadeSafe Runner::Impl::make_bench_safe() {
  if (request_.standby != nullptr) request_.standby->making_safe();
  return make_safe({scheduler_, bench_.get(), ledger_, listener_, request_.undo, reason_, kSafeStateStep, {}});
}

void Runner::Impl::main() {
  stand_by();
  listener_.run_started(request_.info, request_.sequence, request_.bench);
  if (!connect()) {
    safe_ = true;  // nothing was energised
    ledger_.close(true);
    finish(true);
    return;
  }
  monitors_ = std::make_unique<Monitors>(scheduler_, *bench_, listener_);
  context_ = std::make_unique<RunContext>(RunContext{scheduler_,
                                                     listener_,
                                                     *bench_,
                                                     ledger_,
                                                     *monitors_,
                                                     gate_,
                                                     request_.person,
                                                     request_.find_step,
                                                     request_.info.seed,
                                                     request_.step_timeout,
                                                     "",
                                                     {},
                                                     {}});
  interlocks_ = std::make_unique<Interlocks>(
      scheduler_, *bench_, ledger_, listener_,
      Interlocks::Actions{[this](const InterlockPlan& plan, const FailureEvent& failure) { tripped(plan, failure); },
                          [this](const InterlockPlan&) { gate_.close(); },
                          [this](const InterlockPlan&) { gate_.open(); }});
  std::exception_ptr broken;  // the record cannot be written: the bench is made safe all the same
  try {
    interlocks_->start();
    run_phases();
    stop_monitors();
    interlocks_->stop();
  } catch (...) {
    broken = std::current_exception();
    reason_ = "the record could not be written";
  }
  MadeSafe made;
  try {
    made = make_bench_safe();
  } catch (...) {
    // The record's disk fails only now. It stays silent from here on, so the rest of the ledger is undone.
    broken = std::current_exception();
    made = make_bench_safe();
  }
  safe_ = made.safe;
  if (request_.standby != nullptr && !made.safe) {
    // It ends this process and tries by itself. If it does not, the record is ended here.
    request_.standby->ended(false);
    scheduler_.sleep(kEndOfProcess);
  }
  if (broken) {
    if (request_.standby != nullptr) request_.standby->ended(made.safe);
    std::rethrow_exception(broken);
  }
  account_for(made);
  finish(made.safe);
}

void Runner::Impl::run_phases() {
  const auto& sequence = request_.sequence;
  StepTree tree(*context_);
  Scheduler::Handle timer;
  if (sequence.timeout) {
    const Instant end = scheduler_.now() + *sequence.timeout;
    timer = scheduler_.spawn("run timeout", [this, end] {
      scheduler_.sleep_until(end);
      by_timeout_ = true;
      FailureEvent event{
          {ErrorClass::dut, "run_timeout",
           fmt::format("the run was not over after {} s", seconds(*request_.sequence.timeout)), "", "", "", ""},
          scheduler_.now(),
          0};
      FirstFailure first = of_bench("run timeout", event);
      first.during = context_->running;
      blame(Verdict::fail, first);
      halt(Level::teardown, "run timeout");
    });
  }
  run_sequence(tree);
  if (timer) {
    scheduler_.cancel(timer);
    while (!scheduler_.join(timer, kNever)) {
    }
  }
}

void Runner::Impl::run_sequence(StepTree& tree) {
  std::string stopped;
  int index = 0;
  bool anything = false;
  for (const auto& phase : request_.sequence.phases) {
    if (stopped.empty() && level_ != Level::none) stopped = "the run was stopped: " + reason_;
    if (!stopped.empty()) {
      skip_phase(tree, phase, index++, stopped);
      continue;
    }
    const Outcome outcome = run_phase(tree, phase, index++);
    anything = anything || outcome.verdict != Verdict::skip;
    total_.absorb(outcome, by_operator_);
    if (outcome.bad() && phase.on_fail == OnFail::stop) stopped = "after the failure of phase " + phase.name;
    if (outcome.bad() && level_ == Level::none && reason_ == "end of run") reason_ = "first failure";
  }
  if (!anything && level_ == Level::none) {
    blame(Verdict::error, of_bench("sequence", {{ErrorClass::sequence, "nothing_ran",
                                                 "no step of sequence \"" + request_.sequence.name + "\" ran", "", "",
                                                 "", "every step was skipped by its `when`, or there is none"},
                                                scheduler_.now(),
                                                0}));
  }
}

namespace {

StepStarted phase_started(const PhasePlan& phase, int index, Instant at) {
  StepStarted started;
  started.step = phase.name;
  started.phase = phase.name;
  started.title = phase.title.empty() ? phase.name : phase.title;
  started.kind = StepKind::phase;
  started.index = index;
  started.phase_plan = &phase;
  started.timeout = phase.timeout;
  started.at = at;
  return started;
}

TreePlace place_in(const PhasePlan& phase, const char* section) {
  TreePlace place;
  place.phase = phase.name;
  place.section = section;
  place.parent = phase.name;
  return place;
}

}  // namespace

void Runner::Impl::skip_phase(StepTree& tree, const PhasePlan& phase, int index, const std::string& reason) {
  listener_.step_started(phase_started(phase, index, scheduler_.now()));
  Outcome outcome;
  tree.skip_list(phase.setup, place_in(phase, "setup"), reason, outcome);
  tree.skip_list(phase.steps, place_in(phase, "steps"), reason, outcome);
  tree.skip_list(phase.teardown, place_in(phase, "teardown"), reason, outcome);
  total_.absorb(outcome);
  end_phase(phase, outcome, reason, 0, {}, scheduler_.now());
}

Outcome Runner::Impl::run_phase(StepTree& tree, const PhasePlan& phase, int index) {
  const Instant start = scheduler_.now();
  listener_.step_started(phase_started(phase, index, start));
  Outcome outcome;
  std::optional<FailureEvent> own;
  const Instant deadline = phase.timeout ? start + *phase.timeout : kNever;
  body_ = scheduler_.spawn("phase " + phase.name, [&] { run_body(tree, phase, deadline, outcome); });
  const bool in_time = scheduler_.join(body_, deadline);
  if (!in_time) {
    scheduler_.cancel(body_);
    while (!scheduler_.join(body_, kNever)) {
    }
  }
  const auto error = Scheduler::error(body_);
  body_.reset();
  if (error) std::rethrow_exception(error);
  if (!in_time && level_ == Level::none) {
    own = FailureEvent{{ErrorClass::dut, "phase_timeout",
                        fmt::format("phase {} was not over after {} s", phase.name, seconds(*phase.timeout)), "", "",
                        "", "what ran then is recorded as aborted below it"},
                       scheduler_.now(),
                       0};
    FirstFailure first;
    first.event = *own;
    first.phase = phase.name;
    first.step = phase.name;
    first.id = phase.name;
    first.title = phase.title;
    first.where = phase.where;
    if (outcome.verdict == Verdict::aborted) outcome.verdict = Verdict::pass;
    outcome.blame(Verdict::fail, first);
  }
  if (outcome.bad()) stop_monitors();
  run_teardown(tree, phase, outcome);
  end_phase(phase, outcome, "", 1, own, start);
  return outcome;
}

void Runner::Impl::run_body(StepTree& tree, const PhasePlan& phase, Instant deadline, Outcome& outcome) {
  tree.run_list(phase.setup, place_in(phase, "setup"), deadline, false, outcome);
  const TreePlace steps = place_in(phase, "steps");
  if (outcome.bad()) {
    tree.skip_list(phase.steps, steps, "after the failure of the setup of " + phase.name, outcome);
  } else {
    tree.run_list(phase.steps, steps, deadline, false, outcome);
  }
}

void Runner::Impl::run_teardown(StepTree& tree, const PhasePlan& phase, Outcome& outcome) {
  const TreePlace place = place_in(phase, "teardown");
  if (phase.teardown.empty()) return;
  if (level_ == Level::at_once) {
    tree.skip_list(phase.teardown, place, "the run was stopped: " + reason_, outcome);
    return;
  }
  teardown_ =
      scheduler_.spawn("teardown " + phase.name, [&] { tree.run_list(phase.teardown, place, kNever, true, outcome); });
  while (!scheduler_.join(teardown_, kNever)) {
  }
  const auto error = Scheduler::error(teardown_);
  teardown_.reset();
  if (error) std::rethrow_exception(error);
}

void Runner::Impl::end_phase(const PhasePlan& phase, const Outcome& outcome, const std::string& skip_reason,
                             int attempts, const std::optional<FailureEvent>& own, Instant start) {
  StepEnded ended;
  ended.step = phase.name;
  ended.kind = StepKind::phase;
  ended.verdict = outcome.verdict;
  ended.attempts = attempts;
  ended.skip_reason = skip_reason;
  if (outcome.bad() && outcome.first) ended.failure = outcome.first->event;
  if (own) ended.failure = own;
  ended.failure_is_told = !own;
  ended.at = scheduler_.now();
  ended.duration = ended.at - start;
  listener_.step_ended(ended);
}

void Runner::Impl::stop_monitors() {
  for (const auto& result : monitors_->stop_all()) {
    if (is_good(result.verdict)) {
      if (result.verdict == Verdict::marginal) total_.verdict = worst(total_.verdict, Verdict::marginal);
      continue;
    }
    if (!result.failure) continue;
    FirstFailure first = of_bench("monitor " + result.name, *result.failure);
    first.during = {result.step};
    blame(result.verdict, first);
  }
}

void Runner::Impl::account_for(const MadeSafe& made) {
  if (made.safe && made.failed.empty()) return;
  FirstFailure first;
  first.event = bench_unsafe(made);
  if (made.safe) first.event.failure.symptom = "undo_failed";
  first.step = kSafeStateStep;
  first.id = kSafeStateStep;
  first.title = "safe state";
  if (is_good(total_.verdict)) {
    blame(Verdict::error, first);
  } else if (!made.safe) {
    total_.verdict = worst(total_.verdict, Verdict::error);
  }
}

int Runner::Impl::exit_status() const {
  if (by_operator_) return 130;
  if (by_interlock_) return 4;
  if (total_.verdict <= Verdict::marginal) return 0;
  if (total_.first && total_.first->event.failure.error_class == ErrorClass::interlock) return 4;
  if (total_.verdict == Verdict::fail) return 1;
  return exit_status_of_error(total_.first);
}

void Runner::Impl::finish(bool safe) {
  ended_.verdict = total_.verdict;
  ended_.exit_status = exit_status();
  ended_.counts = total_.counts;
  ended_.first_failure = total_.first;
  ended_.safe = safe;
  ended_.seed = request_.info.seed;
  ended_.reproduce = request_.reproduce;
  ended_.at = scheduler_.now();
  ended_.bench_time = ended_.at.time_since_epoch();
  listener_.run_ended(ended_);
  if (request_.standby != nullptr) request_.standby->ended(safe);
}

Runner::Runner(Scheduler& scheduler, RunListener& listener, RunRequest request)
    : impl_(std::make_unique<Impl>(scheduler, listener, std::move(request))) {}
Runner::~Runner() = default;
RunEnded Runner::run() { return impl_->run(); }
void Runner::stop(Stop cause) { impl_->stop(cause); }
bool Runner::bench_is_safe() const { return impl_->bench_is_safe(); }

}  // namespace firstlight
