#pragma once

#include <optional>
#include <string>

#include "lab/bench/plan.h"
#include "lab/cli/application.h"
#include "lab/cli/options.h"
#include "lab/core/diagnostic.h"
#include "lab/sequence/plan.h"

namespace firstlight::cli {

/// Reads the bench that --bench names, with the faults of --fault. Errors go to `diagnostics`.
std::optional<BenchPlan> load_bench(const Options& options, const Surroundings& surroundings, Diagnostics& diagnostics);

/// Tells every error, for people or (with --json) for programs, and returns the exit status for bad input.
int tell(Diagnostics& diagnostics, const Options& options, const Surroundings& surroundings);
/// The same for one sentence.
int bad_input(const std::string& message, const Options& options, const Surroundings& surroundings);

/// Every resource is on the model; false: every one is hardware. Some of each is a mistake, told in `diagnostics`.
bool is_on_model(const BenchPlan& bench, Diagnostics& diagnostics);

}  // namespace firstlight::cli
