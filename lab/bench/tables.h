#pragma once

#include <vector>

#include "lab/core/vocabulary.h"

namespace firstlight {

/// The keys of a bench file that are the same on every bench; the parser, the JSON Schema and the docs read them here.
std::vector<ParamSpec> dut_params();
/// Keys that every resource has besides those of its type.
std::vector<ParamSpec> resource_params();
/// Keys that every driver has besides those of its type.
std::vector<ParamSpec> driver_params();
std::vector<ParamSpec> guardian_params();
std::vector<ParamSpec> labgrid_params();
std::vector<ParamSpec> rail_params();
/// Of a rail's `pgood:`.
std::vector<ParamSpec> pgood_params();
/// Of a rail's `safe:`.
std::vector<ParamSpec> safe_params();
/// Without `above`, `below` and `hysteresis`, whose dimension is that of what is watched.
std::vector<ParamSpec> interlock_params();

}  // namespace firstlight
