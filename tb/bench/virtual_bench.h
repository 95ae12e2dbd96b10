#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lab/agent/listening_station.h"
#include "lab/bench/plan.h"
#include "lab/core/vocabulary.h"
#include "lab/runner/station.h"

namespace tb {

/// The whole model: RTL, board and instruments, reached through transports. One a process, since SystemC elaborates
/// once. Throws FailureError (bench) for a fault value or a model setting that is not right.
std::unique_ptr<firstlight::Station> make_virtual_station(const firstlight::BenchPlan& plan, std::uint64_t seed);

/// The same with a witness at the pins of its rails, for tests.
std::unique_ptr<firstlight::ListeningStation> make_witnessed_station(const firstlight::BenchPlan& plan,
                                                                     std::uint64_t seed);

/// The same, its time tied to the wall clock, and with a witness at the pins of its rails.
std::unique_ptr<firstlight::ListeningStation> make_listening_station(const firstlight::BenchPlan& plan,
                                                                     std::uint64_t seed);

/// Every fault that the model can have, by domain.
std::vector<firstlight::FaultSpec> model_fault_specs();

}  // namespace tb
