#include "lab/runner/monitors.h"

#include <fmt/format.h>

#include <set>

#include "lab/core/suggest.h"
#include "lab/runner/recorder.h"

namespace firstlight {

namespace {

constexpr Duration kUsualPeriod = std::chrono::milliseconds(10);
/// A transfer in the middle of which a monitor is told to stop may end by itself; cutting it off would disturb the bus.
constexpr Duration kGrace = std::chrono::seconds(1);
/// Samples in a row that may be missing before the monitor counts as blind.
constexpr int kBlindAfter = 3;

}  // namespace

struct Monitors::Running {
  MonitorRequest request;
  std::string step;
  std::unique_ptr<Event> stop;
  Scheduler::Handle fiber;
  MonitorEvent worst;  // `value`, `subject`, `worst_at` and `worst_margin` in use
  std::uint64_t samples = 0;
  std::uint64_t unreadable = 0;
  Verdict verdict = Verdict::pass;
  std::optional<FailureEvent> failure;
  std::set<std::string> violated;
  std::map<std::string, int> blind;  // missing samples in a row, by measurable
};

Monitors::Monitors(Scheduler& scheduler, Bench& bench, RunListener& listener)
    : scheduler_(scheduler), bench_(bench), listener_(listener) {}
Monitors::~Monitors() = default;

void Monitors::start(MonitorRequest request, const std::string& step) {
  const std::string name = request.name;
  if (running_.count(name) != 0) {
    throw FailureError({ErrorClass::sequence, "monitor_exists", "a monitor \"" + name + "\" is running already", "", "",
                        "", "it was started by " + running_[name]->step + " and not stopped"});
  }
  if (request.period <= Duration::zero()) request.period = kUsualPeriod;
  for (const auto& measurable : request.measurables) bench_.measurable(measurable);
  auto monitor = std::make_unique<Running>();
  monitor->request = std::move(request);
  monitor->step = step;
  monitor->stop = scheduler_.make_event();
  MonitorEvent event;
  event.name = name;
  event.event = "started";
  event.step = step;
  event.request = &monitor->request;
  event.at = scheduler_.now();
  listener_.monitor(event);
  Running* raw = monitor.get();
  monitor->fiber = scheduler_.spawn("monitor " + name, [this, raw] { watch(*raw); });
  running_.emplace(name, std::move(monitor));
}

void Monitors::watch(Running& monitor) {
  Instant next = scheduler_.now();
  do {
    for (const auto& name : monitor.request.measurables) read(monitor, name);
    next = std::max(next + monitor.request.period, scheduler_.now());
  } while (!scheduler_.wait(*monitor.stop, next));
}

void Monitors::read(Running& monitor, const std::string& name) {
  Quantity value;
  try {
    value = bench_.measurable(name).read();
  } catch (const FailureError& error) {
    unreadable(monitor, name, error.failure());
    return;
  } catch (const std::exception& error) {
    unreadable(monitor, name,
               {ErrorClass::bug, "unexpected_exception", fmt::format("reading {}: {}", name, error.what()), name, "",
                "", "a bug in Firstlight or a driver"});
    return;
  }
  monitor.blind[name] = 0;
  judge_sample(monitor, name, value);
}

void Monitors::judge_sample(Running& monitor, const std::string& name, const Quantity& value) {
  ++monitor.samples;
  const auto& request = monitor.request;
  Sampled sample;
  sample.step = kBenchStep;
  sample.series = name;
  sample.value = value;
  sample.source = "monitor";
  sample.owner = request.name;
  sample.owner_step = monitor.step;
  if (request.has_limit) sample.limit = request.limit;
  sample.at = scheduler_.now();
  listener_.sampled(sample);
  if (!request.has_limit) return;
  const Verdict verdict = judge(value.value, request.limit);
  const double margin = margin_of(value.value, request.limit);
  if (!monitor.worst.value || margin < monitor.worst.worst_margin) {
    monitor.worst.value = value;
    monitor.worst.subject = name;
    monitor.worst.worst_at = sample.at;
    monitor.worst.worst_margin = margin;
  }
  monitor.verdict = worst(monitor.verdict, verdict);
  if (is_good(verdict) || !monitor.violated.insert(name).second) return;
  MonitorEvent event;
  event.name = request.name;
  event.event = "violated";
  event.subject = name;
  event.value = value;
  event.verdict = verdict;
  event.at = sample.at;
  listener_.monitor(event);
  if (monitor.failure) return;
  const std::string& part = bench_.measurable(name).part;
  monitor.failure = FailureEvent{{ErrorClass::dut, "monitor_limit",
                                  fmt::format("{} went to {}, outside {}, while monitor \"{}\" watched it", name,
                                              to_text(value), to_text(request.limit), request.name),
                                  part.empty() ? name : part, "", "", ""},
                                 sample.at,
                                 0};
}

void Monitors::unreadable(Running& monitor, const std::string& name, const Failure& failure) {
  ++monitor.unreadable;
  const int streak = ++monitor.blind[name];
  const FailureEvent told{failure, scheduler_.now(), 0};
  if (streak == 1) {
    MonitorEvent event;
    event.name = monitor.request.name;
    event.event = "unreadable";
    event.subject = name;
    event.failure = told;
    event.at = told.at;
    listener_.monitor(event);
  }
  if (streak != kBlindAfter) return;
  monitor.verdict = Verdict::error;
  if (!monitor.failure) monitor.failure = told;
}

MonitorResult Monitors::stop(const std::string& name) {
  const auto at = running_.find(name);
  if (at == running_.end()) {
    std::vector<std::string> known;
    for (const auto& [running, monitor] : running_) known.push_back(running);
    const std::string near = nearest_name(name, known);
    throw FailureError({ErrorClass::sequence, "unknown_monitor", "no monitor \"" + name + "\" is running", "", "", "",
                        near.empty() ? "it was never started, or stopped before" : "did you mean \"" + near + "\"?"});
  }
  const std::unique_ptr<Running> monitor = std::move(at->second);
  running_.erase(at);
  monitor->stop->fire();
  {
    const Scheduler::Shield shield(scheduler_);
    if (!scheduler_.join(monitor->fiber, scheduler_.now() + kGrace)) scheduler_.cancel(monitor->fiber);
    while (!scheduler_.join(monitor->fiber, kNever)) {
    }
  }
  MonitorEvent event = monitor->worst;
  event.name = name;
  event.event = "stopped";
  event.verdict = monitor->verdict;
  event.samples = monitor->samples;
  event.unreadable = monitor->unreadable;
  event.at = scheduler_.now();
  listener_.monitor(event);
  if (const auto error = Scheduler::error(monitor->fiber)) std::rethrow_exception(error);
  return {name, monitor->step, monitor->verdict, monitor->failure};
}

std::vector<MonitorResult> Monitors::stop_all() {
  std::vector<MonitorResult> results;
  while (!running_.empty()) results.push_back(stop(std::string(running_.begin()->first)));
  return results;
}

}  // namespace firstlight
