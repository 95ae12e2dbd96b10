#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <ostream>

#include "lab/cli/commands.h"
#include "lab/cli/lease.h"
#include "lab/cli/making_safe.h"
#include "lab/cli/plans.h"
#include "lab/core/failure.h"
#include "lab/runner/guardian_link.h"
#include "lab/runner/guardian_watch.h"

namespace firstlight::cli {

namespace {

constexpr int kLockDescriptor = kGuardianSocket + 1;
constexpr auto kEndOfRunner = std::chrono::seconds(2);
constexpr Duration kConnectEarly = std::chrono::seconds(15);

/// Nothing that ends the run from outside, or its terminal, may end who makes its bench safe.
void ignore_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGUSR1, SIGUSR2})
    std::signal(signal, SIG_IGN);
}

/// What the run gave us is not for programs that drivers start: the bench's lock ends with us.
void close_on_exec() {
  constexpr int kMostGiven = 8;
  for (int i = 0; i < kMostGiven; ++i) ::fcntl(kGuardianSocket + i, F_SETFD, FD_CLOEXEC);
}

bool is_a_socket(int descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

Failure cause_of(RunnerEnd end, const GuardianPlan& plan) {
  Failure failure;
  failure.error_class = ErrorClass::infrastructure;
  failure.part = "runner";
  if (end == RunnerEnd::died) {
    failure.symptom = "runner_died";
    failure.message = "the run's process ended while the bench was energised";
    failure.likely_cause = "it was killed (kill -9, out of memory), or it crashed";
  } else if (end == RunnerEnd::hung) {
    failure.symptom = "runner_hung";
    failure.message = "the run's process gave no sign of life for " + to_text(to_quantity(plan.heartbeat), 3);
    failure.likely_cause = "it was stopped (Ctrl-Z, a debugger), it loops, or this host is far too busy";
  } else if (end == RunnerEnd::safe_state_late) {
    failure.symptom = "safe_state_late";
    failure.message = "the run did not make the bench safe within " + to_text(to_quantity(plan.safe_within), 3);
    failure.likely_cause = "a part or its bus does not answer";
  } else {
    failure.symptom = "safe_state_failed";
    failure.message = "the run could not make the bench safe";
    failure.likely_cause = "its connections died, or a part does not turn off; its own @safe_state says more";
  }
  return failure;
}

class Guardian {
 public:
  Guardian(const Surroundings& surroundings, BenchPlan bench, std::string folder)
      : surroundings_(surroundings),
        bench_(std::move(bench)),
        folder_(std::move(folder)),
        watch_(kGuardianSocket, bench_.guardian) {}
  int run();

 private:
  bool take_over(SecondStation& station, Scheduler& scheduler, RunnerEnd end);

  const Surroundings& surroundings_;
  const BenchPlan bench_;
  const std::string folder_;
  std::unique_ptr<OtherProcess> runner_;
  GuardianWatch watch_;
};

int Guardian::run() {
  const auto hello = watch_.hello();
  if (!hello) return kExitPass;  // the run ended before it began
  if (auto runner = OtherProcess::parent(hello->pid)) runner_ = std::make_unique<OtherProcess>(std::move(*runner));
  const auto station = make_second_station(bench_, hello->epoch);
  Scheduler::Options how;
  how.wall_clock = true;
  Scheduler scheduler(station->time_source(), how);
  std::string warning;
  scheduler.run([&] {
    const auto done = scheduler.run_bounded("connect", scheduler.now() + kConnectEarly,
                                            [&] { warning = station->connect_early(scheduler); });
    if (done != Scheduler::Bounded::done) warning = "not everything was connected in time";
  });
  watch_.ready(warning);
  const RunnerEnd end = watch_.watch();
  if (end == RunnerEnd::dismissed) {
    // The run could not write it where it may not write at all.
    Lease::mark_safe(kLockDescriptor);
    return kExitPass;
  }
  return take_over(*station, scheduler, end) ? kExitPass : kExitInfrastructure;
}

bool Guardian::take_over(SecondStation& station, Scheduler& scheduler, RunnerEnd end) {
  // Two must not drive one bench: the run is ended before anything else.
  if (runner_ && !runner_->end(kEndOfRunner))
    *surroundings_.err << "firstlight: the run's process does not end\n" << std::flush;
  TakeoverRequest request;
  request.folder = folder_;
  request.by = "guardian";
  request.cause = cause_of(end, bench_.guardian);
  request.ledger = watch_.ledger();
  request.safe_state_begun = watch_.was_making_safe();
  const bool safe = take_over_run(station, scheduler, bench_, std::move(request), surroundings_);
  if (safe) Lease::mark_safe(kLockDescriptor);
  return safe;
}

}  // namespace

int guardian_command(const Options& options, const Surroundings& surroundings) {
  if (options.operands.size() != 1 || options.bench.empty() || !is_a_socket(kGuardianSocket))
    return bad_input("guardian is started by `firstlight run`, not by hand", options, surroundings);
  ignore_signals();
  close_on_exec();
  Diagnostics diagnostics;
  auto bench = load_bench(options, surroundings, diagnostics);
  if (!bench || !diagnostics.empty()) {
    GuardianWatch(kGuardianSocket, {}).failed("the bench file cannot be read any more");
    return tell(diagnostics, options, surroundings);
  }
  return Guardian(surroundings, std::move(*bench), options.operands[0]).run();
}

}  // namespace firstlight::cli
