#pragma once

#include "lab/steps/step.h"

namespace firstlight::steps {

/// thermal.trip_test.
Step trip_test_step();

}  // namespace firstlight::steps
