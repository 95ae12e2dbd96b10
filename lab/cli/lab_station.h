#pragma once

#include <memory>

#include "lab/runner/station.h"

namespace firstlight::cli {

/// The table in the lab: bench time is the wall clock. The transports are those that this build has; a resource whose
/// kind has none is a failure of class infrastructure when it is opened.
std::unique_ptr<Station> make_lab_station(const BenchPlan& plan, std::uint64_t seed);

}  // namespace firstlight::cli
