#pragma once

#include <string>

#include "lab/bench/plan.h"
#include "lab/cli/terminal.h"
#include "lab/runner/events.h"
#include "lab/sequence/plan.h"

namespace firstlight::cli {

/// What stands at the end of a run: verdict, first failure, whether the bench is safe, how to run it again, where the
/// report is.
std::string final_lines(const RunEnded& ended, const SequencePlan& sequence, const BenchPlan& bench,
                        const std::string& folder, const Style& style);

}  // namespace firstlight::cli
