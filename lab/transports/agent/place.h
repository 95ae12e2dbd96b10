#pragma once

#include <string>

#include "lab/bench/plan.h"

namespace firstlight::agent {

/// "agent:host0/i2c0".
struct Place {
  std::string agent;
  std::string resource;
};

/// @param rest of the resource's address, after "agent:". Throws FailureError (bench, "bad_address").
Place place_of(const ResourcePlan& resource, const std::string& rest);

/// The bench's agent of that name. Throws FailureError (bench): there is none, or its own address is none.
const ResourcePlan& agent_of(const std::string& agent, const ResourcePlan& asks, const BenchPlan& bench);

}  // namespace firstlight::agent
