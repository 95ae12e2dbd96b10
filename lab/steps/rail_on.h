#pragma once

#include "lab/steps/step.h"

namespace firstlight::steps {

/// rail.on, which is long enough for a file of its own.
Step rail_on_step();

}  // namespace firstlight::steps
