#pragma once

#include <vector>

#include "lab/steps/step.h"

namespace envelope {

/// Steps that pass what they are given straight to the capabilities, unchecked: raw.set, raw.enable, raw.disable,
/// raw.margin, raw.nan, raw.supply. Nothing in the product does that; whoever writes a step might.
const std::vector<firstlight::Step>& raw_steps();

}  // namespace envelope
