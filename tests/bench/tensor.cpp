#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "tb/bench/virtual_bench.h"
#include "tests/bench/programs.h"
#include "tests/bench/sequence_run.h"

namespace bench {
namespace {

/// What steps measured, by step and measure.
class Measures : public firstlight::RunListener {
 public:
  void measured(const firstlight::Measured& event) override {
    values_[{event.step, event.measure}] = event.value.value;
  }
  double of(const std::string& step, const std::string& measure) const {
    const auto found = values_.find({step, measure});
    if (found == values_.end()) throw std::runtime_error(step + " measured no " + measure);
    return found->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, double> values_;
};

}  // namespace

void measure_tensor(const Results& results, bool quick) {
  constexpr double kResident = 0.995;
  constexpr double kStreamed = 0.95;
  Measures measures;
  SequenceRun run;
  run.sequence_file = "tests/bench/tensor.yaml";
  run.bench_file = "lab/benches/model.yaml";
  if (quick) run.parameters = {{"resident", "16x8x16"}, {"streamed", "16x16x16"}};
  run.station = tb::make_virtual_station;
  run.listener = &measures;
  run_sequence(run);
  const auto report = [&](const std::string& name, std::optional<double> aim, std::optional<double> sustained_aim) {
    const std::string step = "products/" + name;
    const double ideal = measures.of(step, "ideal_cycles");
    results.add({"tensor_" + name + "_cycles", measures.of(step, "cycles"), "cycles", ideal});
    results.add({"tensor_" + name + "_utilisation", measures.of(step, "utilisation"), "", aim});
    results.add({"tensor_" + name + "_sustained", measures.of(step, "sustained"), "", sustained_aim});
    results.add({"tensor_" + name + "_ops_per_cycle", measures.of(step, "rate"), "1", std::nullopt});
  };
  report("resident", std::nullopt, kResident);
  report("streamed", kStreamed, std::nullopt);
}

}  // namespace bench
