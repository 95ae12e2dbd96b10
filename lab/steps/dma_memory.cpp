#include "lab/steps/dma_memory.h"

#include <fmt/format.h>

namespace firstlight::steps {

const std::vector<std::string>& dma_window_names() {
  static const std::vector<std::string> names = {"host", "hbm", "sram", "scratchpad", "peer"};
  return names;
}

DmaWindow window_of(const Dma& dma, const std::string& name) {
  for (const DmaWindow& window : dma.windows())
    if (window.name == name) return window;
  throw FailureError({ErrorClass::bench,
                      "no_dma_window",
                      fmt::format("{} reaches no memory called {}", dma.part(), name),
                      dma.part(),
                      {},
                      {},
                      {}});
}

std::string memory_part(const Dma& dma, const std::string& window) {
  return fmt::format("{} ({})", window, dma.part());
}

}  // namespace firstlight::steps
