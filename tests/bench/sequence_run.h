#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/core/vocabulary.h"
#include "lab/runner/events.h"
#include "lab/runner/station.h"
#include "lab/steps/step.h"
#include "tests/bench/timed_source.h"

namespace bench {

/// One sequence on the bench, run as the command line does, with a record in a folder of its own.
struct SequenceRun {
  std::string sequence_file;  // its name in messages, when `sequence_text` is given
  std::string sequence_text;
  std::string bench_file;  // likewise
  std::string bench_text;
  std::vector<std::pair<std::string, std::string>> parameters;
  bool record = true;
  std::uint64_t seed = 1;
  std::function<std::unique_ptr<firstlight::Station>(const firstlight::BenchPlan&, std::uint64_t)> station;
  std::vector<firstlight::Step> own_steps;  // besides those of the product
  firstlight::RunListener* listener = nullptr;
  std::function<void(TimedSource&, const firstlight::BenchPlan&)> started;
};

struct SequenceTimes {
  firstlight::Duration bench_time{};
  double wall = 0;     // seconds
  double cpu = 0;      // of everything, but for the watcher
  double advance = 0;  // of it, within the time source: the model
  double trace = 0;    // of it, writing down the traffic of the buses
};

/// Throws std::runtime_error when the files are not right or the sequence does not pass.
SequenceTimes run_sequence(const SequenceRun& what);

}  // namespace bench
