#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/capabilities/dma.h"
#include "lab/steps/step.h"

namespace firstlight::steps {

struct DmaStressPlan {
  struct Queue {
    unsigned engine = 0;
    unsigned index = 0;
  };
  std::uint32_t transfers = 0;
  std::uint32_t entries = 0;
  std::uint32_t longest = 0;  // bytes, 4096 at the most
  std::vector<DmaWindow> windows;
  std::vector<Queue> queues;
  bool semaphores = false;
  bool aborts = false;
  std::uint64_t seed = 0;
};

struct DmaStressResult {
  std::uint32_t transfers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wrong_bytes = 0;
  std::uint32_t aborts = 0;   // of queues
  std::uint32_t aborted = 0;  // transfers that an abort ended
  double wraps = 0;           // passes over its ring that every queue has made
  std::string suspect;        // the memory that holds the first wrong byte, or the engine
};

/// Runs random traffic (dma_traffic.h) over the queues, which are open and empty, against a byte model of the memories.
/// A completion that is not ok throws FailureError (dut), unless its queue was aborted.
DmaStressResult run_dma_stress(StepContext& step, Dma& dma, const DmaStressPlan& plan);

}  // namespace firstlight::steps
