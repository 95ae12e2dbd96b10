#include "tests/bench/sequence_run.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>

#include "lab/bench/parse.h"
#include "lab/drivers/registry.h"
#include "lab/runner/recorder.h"
#include "lab/runner/runner.h"
#include "lab/sequence/parse.h"
#include "lab/steps/undo.h"
#include "lab/trace/recording_provider.h"
#include "lab/trace/trace_reader.h"
#include "rtl/regs/tern_registers.h"
#include "tb/bench/virtual_bench.h"
#include "tests/bench/results.h"

namespace bench {
namespace {

using namespace firstlight;  // NOLINT(google-build-using-namespace): this file is about nothing else

/// Removed with its content.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "firstlight-bench-XXXXXX").string();
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

Vocabulary vocabulary_with(const std::vector<Step>& own_steps) {
  Vocabulary all;
  all.resources = resource_type_specs();
  all.drivers = driver_type_specs();
  all.rail_measures = rail_measure_specs();
  for (const Step& step : all_steps()) all.steps.push_back(step.spec);
  for (const Step& step : own_steps) all.steps.push_back(step.spec);
  all.faults = tb::model_fault_specs();
  all.register_names = tern_registers().names();
  return all;
}

[[noreturn]] void refuse(Diagnostics& diagnostics) {
  diagnostics.sort();
  std::string text = "the benchmark's files are not right:";
  for (const auto& one : diagnostics.list()) text += "\n" + to_text(one, {});
  throw std::runtime_error(text);
}

BenchPlan bench_of(const SequenceRun& what, const Vocabulary& vocabulary) {
  Diagnostics diagnostics;
  auto plan = what.bench_text.empty() ? parse_bench(what.bench_file, vocabulary, diagnostics)
                                      : parse_bench_text(what.bench_file, what.bench_text, vocabulary, diagnostics);
  if (!plan) refuse(diagnostics);
  return *std::move(plan);
}

SequencePlan sequence_of(const SequenceRun& what, const Vocabulary& vocabulary, const BenchPlan& bench) {
  Diagnostics diagnostics;
  auto plan = what.sequence_text.empty()
                  ? parse_sequence(what.sequence_file, vocabulary, &bench, what.parameters, diagnostics)
                  : parse_sequence_text(what.sequence_file, what.sequence_text, vocabulary, &bench, what.parameters,
                                        diagnostics);
  if (!plan) refuse(diagnostics);
  return *std::move(plan);
}

/// What it takes to write the folder's trace: it is written once more.
double cpu_of_trace(const std::string& folder) {
  const trace::Trace read = trace::read_trace(folder);
  const TemporaryFolder again;
  const double start = cpu_seconds();
  trace::TraceWriter writer(again.path());
  for (const auto& transaction : read.transactions) writer.write(transaction);
  return cpu_seconds() - start;
}

}  // namespace

SequenceTimes run_sequence(const SequenceRun& what) {
  const Vocabulary vocabulary = vocabulary_with(what.own_steps);
  const BenchPlan plan = bench_of(what, vocabulary);
  const TemporaryFolder folder;
  RunRequest request;
  request.sequence = sequence_of(what, vocabulary, plan);
  request.bench = plan;
  request.undo = undo_table();
  request.folder = folder.path();
  request.info.name = "bench";
  request.info.seed = what.seed;
  request.info.simulated = true;
  request.find_step = [&](std::string_view verb) -> const Step* {
    for (const Step& step : what.own_steps)
      if (step.spec.verb == verb) return &step;
    return find_step(verb);
  };

  const auto station = what.station(plan, what.seed);
  TimedSource source(station->time_source());
  if (what.started) what.started(source, plan);
  Scheduler scheduler(source);
  std::optional<trace::TraceWriter> writer;
  std::optional<trace::RecordingProvider> recording;
  if (what.record) writer.emplace(folder.path());
  request.connect = [&](BenchTime& time) {
    auto bench = std::make_unique<Bench>(plan, time);
    TransportProvider& transports = station->connect(time);
    if (writer) recording.emplace(transports, time, *writer, [&] { return scheduler.fiber_name(); });
    build_drivers(*bench, recording ? *recording : transports);
    return bench;
  };
  Listeners listeners;
  std::optional<Recorder> recorder;
  if (what.record) listeners.add(recorder.emplace(folder.path()));
  if (what.listener != nullptr) listeners.add(*what.listener);

  const auto wall = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  Runner runner(scheduler, listeners, std::move(request));
  const RunEnded end = runner.run();
  SequenceTimes times;
  times.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  times.cpu = cpu_seconds() - cpu - source.cpu_in_watcher();
  times.advance = source.cpu_in_advance();
  times.bench_time = end.bench_time;
  if (writer) times.trace = cpu_of_trace(folder.path());
  if (end.exit_status != 0)
    throw std::runtime_error(
        "the sequence " + what.sequence_file + " does not pass: " +
        (end.first_failure ? end.first_failure->event.failure.message : std::string("no failure told")));
  return times;
}

}  // namespace bench
