#include "lab/capabilities/dma.h"

#include <fmt/format.h>

#include "lab/core/failure.h"

namespace firstlight {

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

}  // namespace firstlight
