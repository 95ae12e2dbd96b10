#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/runner/scheduler.h"
#include "tb/bench/systemc_time.h"
#include "tests/bench/programs.h"
#include "tests/bench/sequence_run.h"

namespace bench {
namespace {

/// Time that passes when it is told to, at no cost.
class FreeTime final : public firstlight::TimeSource {
 public:
  firstlight::Instant now() const override { return now_; }
  void advance(firstlight::Instant until) override { now_ = std::max(now_, until); }
  void interrupt() override {}

 private:
  firstlight::Instant now_{};
};

/// A bench with nothing on it.
class NoProvider final : public firstlight::TransportProvider {
 public:
  std::unique_ptr<firstlight::I2cBus> open_i2c(const firstlight::ResourcePlan&) override { return nullptr; }
  std::unique_ptr<firstlight::ByteStream> open_stream(const firstlight::ResourcePlan&) override { return nullptr; }
  std::unique_ptr<firstlight::RegisterBus> open_registers(const firstlight::ResourcePlan&) override { return nullptr; }
  std::unique_ptr<firstlight::DmaMemory> open_dma_memory(const firstlight::ResourcePlan&) override { return nullptr; }
  std::unique_ptr<firstlight::Gpio> open_gpio(const firstlight::ResourcePlan&) override { return nullptr; }
};

class EmptyStation final : public firstlight::Station {
 public:
  firstlight::TimeSource& time_source() override { return time_; }
  firstlight::TransportProvider& connect(firstlight::BenchTime& /*time*/) override { return provider_; }
  bool simulated() const override { return true; }

 private:
  FreeTime time_;
  NoProvider provider_;
};

firstlight::Step nothing() {
  firstlight::StepSpec spec;
  spec.verb = "nothing";
  spec.doc = "Does nothing.";
  spec.example = "{id: a, do: nothing}";
  return {spec, [](firstlight::StepContext&) {}};
}

/// Seconds a step, over the whole run of so many of them.
double time_per_step(unsigned steps, bool record) {
  SequenceRun run;
  run.bench_file = "empty bench";
  run.bench_text = "bench: empty\ndut: {name: none, part_number: NONE, serial_number: N0}\n";
  run.sequence_file = "empty steps";
  run.sequence_text =
      "sequence: {name: empty, version: 1, doc: Steps that do nothing.}\nphases:\n  - name: all\n    steps:\n";
  for (unsigned i = 0; i < steps; ++i) run.sequence_text += fmt::format("      - {{id: s{}, do: nothing}}\n", i);
  run.record = record;
  run.own_steps = {nothing()};
  run.station = [](const firstlight::BenchPlan&, std::uint64_t) { return std::make_unique<EmptyStation>(); };
  return run_sequence(run).cpu / steps;
}

double time_per_wait(firstlight::TimeSource& source, unsigned waits) {
  firstlight::Scheduler scheduler(source);
  const double start = cpu_seconds();
  scheduler.run([&] {
    for (unsigned i = 0; i < waits; ++i) scheduler.sleep(std::chrono::nanoseconds(1));
  });
  return (cpu_seconds() - start) / waits;
}

}  // namespace

void measure_runner(const Results& results, bool quick) {
  constexpr double kMicro = 1e6;
  constexpr double kAimForStep = 100;  // us
  const unsigned steps = quick ? 50 : 2000;
  const unsigned waits = quick ? 1000 : 200'000;
  time_per_step(steps / 10, true);  // loads what is loaded once
  results.add({"empty_step", time_per_step(steps, true) * kMicro, "us", kAimForStep});
  results.add({"empty_step_without_record", time_per_step(steps, false) * kMicro, "us", kAimForStep});
  FreeTime free;
  results.add({"fiber_wait", time_per_wait(free, waits) * kMicro, "us", std::nullopt});
  tb::SystemcTime systemc;
  results.add({"fiber_wait_on_systemc", time_per_wait(systemc, waits) * kMicro, "us", std::nullopt});
}

}  // namespace bench
