#include <utility>
#include <vector>

#include "tb/bench/virtual_bench.h"
#include "tests/bench/programs.h"
#include "tests/bench/sequence_run.h"

namespace bench {
namespace {

/// Processor time by phase.
class Phases : public firstlight::RunListener {
 public:
  struct Phase {
    std::string name;
    double cpu = 0;
    double advance = 0;
  };
  void watch(const TimedSource& source) { source_ = &source; }
  const std::vector<Phase>& all() const { return all_; }

  void step_started(const firstlight::StepStarted& event) override {
    if (event.kind == firstlight::StepKind::phase)
      all_.push_back({event.step, -cpu_seconds(), -source_->cpu_in_advance()});
  }
  void step_ended(const firstlight::StepEnded& event) override {
    if (event.kind != firstlight::StepKind::phase) return;
    all_.back().cpu += cpu_seconds();
    all_.back().advance += source_->cpu_in_advance();
  }

 private:
  const TimedSource* source_ = nullptr;
  std::vector<Phase> all_;
};

}  // namespace

void measure_bringup(const Results& results, bool quick) {
  constexpr double kAim = 10;  // seconds
  Phases phases;
  SequenceRun run;
  run.sequence_file = quick ? "tests/bench/traffic.yaml" : "lab/sequences/bringup.yaml";
  run.bench_file = "lab/benches/model.yaml";
  if (quick) run.parameters = {{"time", "10 ms"}};
  run.station = tb::make_virtual_station;
  run.listener = &phases;
  run.started = [&](TimedSource& source, const firstlight::BenchPlan&) { phases.watch(source); };
  const SequenceTimes times = run_sequence(run);
  results.add({"bringup_wall", times.wall, "s", kAim});
  results.add({"bringup_cpu", times.cpu, "s", kAim});
  results.add({"bringup_bench_time", firstlight::seconds(times.bench_time), "s", std::nullopt});
  results.add({"bringup_cpu_model", times.advance, "s", times.cpu});
  results.add({"bringup_cpu_runner", times.cpu - times.advance, "s", times.cpu});
  results.add({"bringup_cpu_trace", times.trace, "s", times.cpu});
  for (const auto& phase : phases.all()) results.add({"bringup_cpu_phase_" + phase.name, phase.cpu, "s", times.cpu});
}

}  // namespace bench
