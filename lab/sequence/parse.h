#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/core/diagnostic.h"
#include "lab/core/vocabulary.h"
#include "lab/sequence/plan.h"

namespace firstlight {

/// Parameters set from outside (`--set name=value`), in order; a later one of a name wins.
using ParameterOverrides = std::vector<std::pair<std::string, std::string>>;

/// Reads a sequence file and what it includes. Every error goes to `diagnostics`, all of them in one go; the plan comes
/// only when there was none. Touches no hardware.
/// @param bench the bench it will run on: names of rails, measurables, drivers and the envelope are checked against it;
/// null to check what can be checked without one
std::optional<SequencePlan> parse_sequence(const std::string& path, const Vocabulary& vocabulary,
                                           const BenchPlan* bench, const ParameterOverrides& overrides,
                                           Diagnostics& diagnostics);
/// The same for text that is already in memory; `file` is its name in messages and the place that `include:` is
/// relative to.
std::optional<SequencePlan> parse_sequence_text(const std::string& file, const std::string& text,
                                                const Vocabulary& vocabulary, const BenchPlan* bench,
                                                const ParameterOverrides& overrides, Diagnostics& diagnostics);

}  // namespace firstlight
