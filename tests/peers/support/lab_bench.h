#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "lab/bench/parse.h"
#include "lab/core/failure.h"
#include "lab/drivers/registry.h"
#include "lab/transports/lab_provider.h"
#include "tests/peers/support/wall_bench.h"

namespace firstlight::peers {

/// The plan of a bench file with the program's own vocabulary. Throws std::runtime_error with what is wrong.
inline BenchPlan plan_of(const std::string& yaml) {
  Vocabulary vocabulary;
  vocabulary.resources = resource_type_specs();
  vocabulary.drivers = driver_type_specs();
  vocabulary.rail_measures = rail_measure_specs();
  Diagnostics diagnostics;
  auto plan = parse_bench_text("bench.yaml", yaml, vocabulary, diagnostics);
  if (plan) return std::move(*plan);
  std::string wrong;
  for (const Diagnostic& one : diagnostics.list()) wrong += to_text(one, yaml);
  throw std::runtime_error(wrong);
}

/// Builds the bench as the lab's station does, with its transports, and runs the body in a fiber on the wall clock.
inline void on_lab_bench(const std::string& yaml, const std::function<void(Bench&, Scheduler&)>& body) {
  const BenchPlan plan = plan_of(yaml);
  on_wall_clock([&](Scheduler& scheduler) {
    LabProvider provider(scheduler, plan);
    Bench bench(plan, scheduler);
    build_drivers(bench, provider);
    body(bench, scheduler);
  });
}

/// The failure that the work ends in. Throws std::runtime_error when it ends well.
inline Failure failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const FailureError& error) {
    return error.failure();
  }
  throw std::runtime_error("it did not fail");
}

/// Everything that a failure says, for looking what it must not say.
inline std::string all_text(const Failure& failure) {
  return failure.message + "|" + failure.part + "|" + failure.sent + "|" + failure.received + "|" +
         failure.likely_cause;
}

}  // namespace firstlight::peers
