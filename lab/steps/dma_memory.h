#pragma once

#include <cstdint>
#include <string>

#include "lab/capabilities/dma.h"
#include "lab/core/failure.h"
#include "lab/steps/step.h"

namespace firstlight::steps {

/// Names of memories that steps may ask for; a bench has them or not.
const std::vector<std::string>& dma_window_names();

/// How a memory is blamed: "hbm (tern dma)".
std::string memory_part(const Dma& dma, const std::string& window);

/// Reads or writes that the engine must do to prepare or check a copy say which memory they failed on.
template <class Action>
auto on_memory(const Dma& dma, const DmaWindow& window, Action action) {
  try {
    return action();
  } catch (const FailureError& error) {
    Failure failure = error.failure();
    if (failure.symptom == "dma_copy_failed") {
      failure.symptom = "dma_bus_error";
      failure.part = memory_part(dma, window.name);
    }
    throw FailureError(failure);
  }
}

}  // namespace firstlight::steps
