#pragma once

#include <string>
#include <vector>

#include "lab/capabilities/link.h"
#include "lab/steps/step.h"

namespace firstlight::steps {

/// "tern link lane 2".
std::string lane_part(const Link& link, int lane);

std::vector<int> all_lanes(const Link& link);

/// `lane`: one, or -1 for all.
ParamSpec lane_param();
/// The lanes that the step was told to take. Throws FailureError (sequence) when the link has no such lane.
std::vector<int> lanes_of(StepContext& step, const Link& link);

/// `confidence` of a bound, 50 % to 99.99 %.
ParamSpec confidence_param();
/// `target`, a bit error ratio from `min` to 0.1.
ParamSpec target_param(std::string doc, std::string fallback, double min);

}  // namespace firstlight::steps
