#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lab/agent/exports.h"
#include "lab/core/bench_time.h"

namespace firstlight::agent {

/// Does what a request asks, in the fiber that calls it. @return the answer without its id
/// Throws Refusal for what is not a request that can be served.
nlohmann::json perform(const nlohmann::json& request, Exports& exports, Streams& streams, Instant deadline);

}  // namespace firstlight::agent
