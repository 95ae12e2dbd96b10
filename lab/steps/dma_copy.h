#pragma once

#include "lab/steps/step.h"

namespace firstlight::steps {

/// `dma.copy`.
Step dma_copy_step();

}  // namespace firstlight::steps
