#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lab/bench/plan.h"
#include "lab/core/vocabulary.h"
#include "lab/runner/station.h"

namespace tb {

/// The whole model: RTL, board and instruments, reached through transports. One a process, since SystemC elaborates
/// once. Throws FailureError (bench) for a fault value or a model setting that is not right.
std::unique_ptr<firstlight::Station> make_virtual_station(const firstlight::BenchPlan& plan, std::uint64_t seed);

/// Every fault that the model can have, by domain.
std::vector<firstlight::FaultSpec> model_fault_specs();

}  // namespace tb
