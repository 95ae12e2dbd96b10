#pragma once

#include <string>

#include "lab/capabilities/bench.h"
#include "lab/capabilities/rail.h"

namespace firstlight {

/// Offers what every rail measures: "<rail>.voltage", "voltage.min", "voltage.max", "current", "power", "temperature".
/// @param rail lives as long as the bench @param part who senses it, for blame
void add_rail_measurables(Bench& bench, Rail& rail, const std::string& part);

}  // namespace firstlight
