#include "tests/envelope/attack_run.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lab/bench/parse.h"
#include "lab/core/failure.h"
#include "lab/drivers/registry.h"
#include "lab/runner/runner.h"
#include "lab/sequence/parse.h"
#include "lab/steps/step.h"
#include "rtl/regs/tern_registers.h"
#include "tb/bench/virtual_bench.h"
#include "tests/envelope/raw_steps.h"

namespace envelope {

namespace {

using namespace firstlight;  // NOLINT(google-build-using-namespace): the product is what is attacked here
using json = nlohmann::json;

// A model that stands still is a failure, too; one that a busy machine keeps waiting is none.
constexpr unsigned kProcessorLimit = 60;  // seconds
constexpr unsigned kWallLimit = 600;      // seconds

/// Removed with its content.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "firstlight-envelope-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder can be made");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Counter final : public RunListener {
 public:
  explicit Counter(bool tell) : tell_(tell) {}
  void step_ended(const StepEnded& ended) override {
    if (tell_ && ended.kind == StepKind::verb)
      std::cout << fmt::format("{:9.6f} s  {} {}{}\n", seconds(ended.at), ended.step, name_of(ended.verdict),
                               ended.failure ? ": " + ended.failure->failure.message : std::string());
    if (ended.kind != StepKind::verb || ended.verdict == Verdict::skip) return;
    ++steps;
    if (ended.failure && ended.failure->failure.error_class == ErrorClass::interlock) ++refused;
  }
  int steps = 0;
  int refused = 0;

 private:
  bool tell_;
};

Vocabulary vocabulary() {
  Vocabulary all;
  all.resources = resource_type_specs();
  all.drivers = driver_type_specs();
  all.rail_measures = rail_measure_specs();
  for (const Step& step : all_steps()) all.steps.push_back(step.spec);
  for (const Step& step : raw_steps()) all.steps.push_back(step.spec);
  all.faults = tb::model_fault_specs();
  all.register_names = tern_registers().names();
  return all;
}

[[noreturn]] void refuse(const Diagnostics& diagnostics) {
  std::string text = "the generator wrote what is no YAML of ours:";
  for (const auto& one : diagnostics.list()) text += "\n" + to_text(one, {});
  throw std::runtime_error(text);
}

BenchPlan bench_of(const Attack& attack, const Vocabulary& words) {
  Diagnostics diagnostics;
  auto plan = parse_bench_text("attack-bench.yaml", attack.bench, words, diagnostics);
  if (!plan) refuse(diagnostics);
  if (!attack.fault.empty()) {
    const auto fault = parse_fault(attack.fault, {}, words, diagnostics);
    if (!fault) refuse(diagnostics);
    plan->faults.push_back(*fault);
  }
  return *std::move(plan);
}

/// What the product is told: the same, or nothing that would hold it back.
BenchPlan told(BenchPlan plan, bool guarded) {
  if (guarded) return plan;
  for (RailPlan& rail : plan.rails) {
    rail.max = Voltage(100);
    rail.min.reset();
    rail.slew.reset();
    rail.after.clear();
    rail.excludes.clear();
  }
  for (DriverPlan& driver : plan.drivers)
    for (const char* name : {"max_voltage", "max_current", "max_over_voltage"}) driver.params.erase(name);
  return plan;
}

void judge_witness(const std::string& text, const BenchPlan& plan, Report& report) {
  const json witness = json::parse(text);
  report.all_off = witness.at("all_off").get<bool>();
  for (const json& rail : witness.at("rails"))
    report.highest[rail.at("rail").get<std::string>()] = rail.at("max_volts").get<double>();
  for (const RailPlan& rail : plan.rails) report.bound[rail.name] = rail.max.base();
}

Report attack_here(const Attack& attack, std::uint64_t seed, bool guarded, bool tell) {
  Report report;
  const Vocabulary words = vocabulary();
  const BenchPlan bounds = bench_of(attack, words);
  const BenchPlan plan = told(bounds, guarded);
  Diagnostics found;
  report.refused_before = !parse_sequence_text("attack.yaml", attack.sequence, words, &bounds, {}, found).has_value();
  // Without the bench nothing is refused before: what stands between the sequence and the rails is the safeguard alone.
  Diagnostics diagnostics;
  auto sequence = parse_sequence_text("attack.yaml", attack.sequence, words, nullptr, {}, diagnostics);
  if (!sequence) refuse(diagnostics);

  const TemporaryFolder folder;
  const auto station = tb::make_witnessed_station(bounds, seed);
  Scheduler scheduler(station->time_source());
  RunRequest request;
  request.sequence = *std::move(sequence);
  request.bench = plan;
  request.folder = folder.path();
  request.info.name = "attack";
  request.info.seed = seed;
  request.info.simulated = true;
  request.undo = undo_table();
  request.find_step = [](std::string_view verb) -> const Step* {
    for (const Step& step : raw_steps())
      if (step.spec.verb == verb) return &step;
    return find_step(verb);
  };
  request.connect = [&](BenchTime& time) {
    auto bench = std::make_unique<Bench>(plan, time);
    build_drivers(*bench, station->connect(time));
    return bench;
  };
  Counter counter(tell);
  Runner runner(scheduler, counter, std::move(request));
  const RunEnded ended = runner.run();
  if (ended.first_failure) report.first_failure = ended.first_failure->event.failure.symptom;
  report.safe = ended.safe;
  report.steps = counter.steps;
  report.refused = counter.refused;
  judge_witness(station->witness(), bounds, report);
  return report;
}

std::string packed(const Report& r) {
  return json{{"trouble", r.trouble},
              {"first_failure", r.first_failure},
              {"safe", r.safe},
              {"all_off", r.all_off},
              {"before", r.refused_before},
              {"steps", r.steps},
              {"refused", r.refused},
              {"highest", r.highest},
              {"bound", r.bound}}
      .dump();
}

Report unpacked(const std::string& text) {
  const json j = json::parse(text);
  Report r;
  r.trouble = j.at("trouble");
  r.first_failure = j.at("first_failure");
  r.safe = j.at("safe");
  r.all_off = j.at("all_off");
  r.refused_before = j.at("before");
  r.steps = j.at("steps");
  r.refused = j.at("refused");
  r.highest = j.at("highest").get<std::map<std::string, double>>();
  r.bound = j.at("bound").get<std::map<std::string, double>>();
  return r;
}

[[noreturn]] void run_in_child(const Attack& attack, std::uint64_t seed, bool guarded, bool tell, int out) {
  const rlimit processor{kProcessorLimit, kProcessorLimit};
  setrlimit(RLIMIT_CPU, &processor);
  alarm(kWallLimit);
  Report report;
  try {
    report = attack_here(attack, seed, guarded, tell);
    std::cout << std::flush;
  } catch (const std::exception& error) {
    report.trouble = error.what();
  }
  const std::string text = packed(report);
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t n = write(out, text.data() + sent, text.size() - sent);
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
  }
  close(out);
  // Without destructors of statics: SystemC's kernel does not care for being taken down after a run.
  std::_Exit(0);
}

std::string all_of(int in) {
  std::string text;
  char buffer[4096];
  ssize_t n = 0;
  while ((n = read(in, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

}  // namespace

Report run_attack(const Attack& attack, std::uint64_t seed, bool guarded, bool tell) {
  int ends[2];
  std::cout << std::flush;  // or the child has it, too
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    close(ends[0]);
    run_in_child(attack, seed, guarded, tell, ends[1]);
  }
  close(ends[1]);
  const std::string text = all_of(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && !text.empty()) return unpacked(text);
  Report report;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGALRM)
    report.trouble = "was not over after " + std::to_string(kWallLimit) + " s";
  else if (signal == SIGXCPU || signal == SIGKILL)
    report.trouble = "was not over after " + std::to_string(kProcessorLimit) + " s of processor time";
  else
    report.trouble = "the process died, status " + std::to_string(status);
  return report;
}

}  // namespace envelope
