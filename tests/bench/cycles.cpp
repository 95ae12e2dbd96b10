#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include "tb/bench/virtual_bench.h"
#include "tests/bench/bare_chip.h"
#include "tests/bench/programs.h"
#include "tests/bench/sequence_run.h"

namespace bench {
namespace {

constexpr double kNominalCoreHz = 1e9;
constexpr double kLeastSlice = 2000;  // core cycles: a shorter stretch is joined to the next

/// Lets the bare chip run as many cycles as the model just did, and compares the two, stretch by stretch.
class Comparison : public firstlight::RunListener {
 public:
  explicit Comparison(std::uint64_t seed) : bare_(seed) { bare_.start_prbs(); }

  void watch(TimedSource& source, double cycles_per_second) {
    source.watch([this, cycles_per_second](firstlight::Duration passed, double cpu) {
      if (!busy_) return;
      model_cycles_ += firstlight::seconds(passed) * cycles_per_second;
      model_cpu_ += cpu;
      if (model_cycles_ - compared_ >= kLeastSlice) compare();
    });
  }
  void step_started(const firstlight::StepStarted& event) override { busy_ = event.step == "traffic/busy"; }
  void measured(const firstlight::Measured& event) override {
    if (event.step == "traffic/from") from_ = event.value.value;
    if (event.step == "traffic/to") to_ = event.value.value;
  }

  void report(const Results& results) const {
    if (ratios_.empty()) throw std::runtime_error("the traffic was too short to compare anything");
    // The chip's own counter tells whether the cycles that were counted here are the chip's.
    if (!from_ || !to_ || std::abs((*to_ - *from_) / model_cycles_ - 1) > 0.05)
      throw std::runtime_error("the chip's cycle counter disagrees with the cycles that bench time stands for");
    std::vector<double> ratios = ratios_;
    std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
    const double bare = compared_ / bare_cpu_;
    results.add({"bare_chip_cycles_per_second", bare, "1/s", std::nullopt});
    results.add({"model_cycles_per_second", bare * ratios[ratios.size() / 2], "1/s", bare});
    results.add({"model_cycles_compared", compared_, "cycles", std::nullopt});
  }

 private:
  void compare() {
    const double cycles = std::floor(model_cycles_ - compared_);
    const double start = cpu_seconds();
    bare_.run(static_cast<std::uint64_t>(cycles));
    const double bare_cpu = cpu_seconds() - start;
    ratios_.push_back(bare_cpu / (model_cpu_ - compared_cpu_));
    bare_cpu_ += bare_cpu;
    compared_ += cycles;
    compared_cpu_ = model_cpu_;
  }

  BareChip bare_;
  bool busy_ = false;
  double model_cycles_ = 0;
  double model_cpu_ = 0;
  double compared_ = 0;
  double compared_cpu_ = 0;
  double bare_cpu_ = 0;
  std::vector<double> ratios_;
  std::optional<double> from_;
  std::optional<double> to_;
};

}  // namespace

void measure_cycles(const Results& results, bool quick) {
  Comparison comparison(1);
  SequenceRun run;
  run.sequence_file = "tests/bench/traffic.yaml";
  run.bench_file = "lab/benches/model.yaml";
  run.parameters = {{"time", quick ? "100 ms" : "3 s"}};
  run.station = tb::make_virtual_station;
  run.listener = &comparison;
  run.started = [&](TimedSource& source, const firstlight::BenchPlan& plan) {
    comparison.watch(source, kNominalCoreHz / plan.time_scale);
  };
  run_sequence(run);
  comparison.report(results);
}

}  // namespace bench
