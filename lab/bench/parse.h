#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/bench/variables.h"
#include "lab/core/diagnostic.h"
#include "lab/core/vocabulary.h"

namespace firstlight {

/// Reads a bench file. Every error goes to `diagnostics`, all of them in one go; the plan comes only when there was
/// none. Touches no hardware.
std::optional<BenchPlan> parse_bench(const std::string& path, const Vocabulary& vocabulary, Diagnostics& diagnostics,
                                     const BenchVariables& variables = {});
/// The same for text that is already in memory; `file` is its name in messages.
std::optional<BenchPlan> parse_bench_text(const std::string& file, const std::string& text,
                                          const Vocabulary& vocabulary, Diagnostics& diagnostics,
                                          const BenchVariables& variables = {});

/// "rail_no_pgood=vdd_hbm" or "no_flow", as `--fault` gives it. A value that the fault does not take, or an unknown
/// name, is told with the nearest name.
std::optional<FaultPlan> parse_fault(const std::string& text, const SourceLocation& where, const Vocabulary& vocabulary,
                                     Diagnostics& diagnostics);

/// Every measurable that the bench offers, by name: "<rail>.<suffix>", "<driver>.<suffix>", "<driver>.<line>" (0 or
/// 1) and the aliases of `sensors:`.
std::map<std::string, MeasurableSpec> measurables_of(const BenchPlan& bench, const Vocabulary& vocabulary);

/// Every digital line that the bench offers: "<driver>.<line>".
std::vector<std::string> lines_of(const BenchPlan& bench, const Vocabulary& vocabulary);

/// The capabilities that the bench offers: what its drivers offer, and "rails" when it has any.
std::vector<std::string> capabilities_of(const BenchPlan& bench, const Vocabulary& vocabulary);

}  // namespace firstlight
