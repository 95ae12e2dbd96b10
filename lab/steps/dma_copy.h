#pragma once

#include "lab/steps/step.h"

namespace firstlight::steps {

/// `dma.copy`.
Step dma_copy_step();

/// A parameter in bytes, from `min` to `max`.
ParamSpec size_param(const char* name, const char* doc, const char* fallback, double min, double max);

}  // namespace firstlight::steps
