#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/capabilities/dma.h"
#include "lab/steps/step.h"

namespace firstlight::steps {

struct DmaStressPlan {
  std::uint32_t transfers = 0;
  std::uint32_t entries = 0;
  std::uint32_t longest = 0;  // bytes, 4096 at the most
  std::vector<DmaWindow> windows;
  std::uint64_t seed = 0;
};

struct DmaStressResult {
  std::uint32_t transfers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wrong_bytes = 0;
  std::string suspect;  // the memory that holds the first wrong byte, or the engine
};

/// Runs random copies on an open engine against a byte model of the memories. Copies of one batch never touch each
/// other's bytes, since the engine may overlap them. A completion that is not ok throws FailureError (dut).
DmaStressResult run_dma_stress(StepContext& step, Dma& dma, const DmaStressPlan& plan);

}  // namespace firstlight::steps
