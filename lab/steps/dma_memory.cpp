#include "lab/steps/dma_memory.h"

#include <fmt/format.h>

namespace firstlight::steps {

const std::vector<std::string>& dma_window_names() {
  static const std::vector<std::string> names = {"host", "hbm", "sram", "scratchpad", "peer"};
  return names;
}

std::string memory_part(const Dma& dma, const std::string& window) {
  return fmt::format("{} ({})", window, dma.part());
}

}  // namespace firstlight::steps
