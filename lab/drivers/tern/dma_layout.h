#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/drivers/tern/dma_ring.h"

namespace firstlight::tern {

/// Where the rings of Tern's DMA lie in host memory: for each queue a descriptor ring, a canary, a completion ring and
/// a canary; behind them all a bounce buffer, and then the window that sequences use.
struct DmaLayout {
  static constexpr std::uint32_t kMinEntries = 4;
  static constexpr std::uint32_t kMaxEntries = 4096;
  static constexpr std::size_t kCanaryBytes = 64;
  static constexpr unsigned kEngines = 2;
  static constexpr unsigned kQueues = 4;
  static constexpr std::uint64_t kCompletions = kMaxEntries * kDescriptorBytes + kCanaryBytes;  // within a queue's part
  static constexpr std::uint64_t kQueueBytes = 0x31000;
  static constexpr std::uint32_t kBounceBytes = 64 * 1024;
  static constexpr std::uint64_t kBounce = 0x190000;
  static constexpr std::uint64_t kWindow = 0x1A0000;

  static constexpr std::uint64_t queue(unsigned engine, unsigned index) {
    return (engine * kQueues + index) * kQueueBytes;
  }
};

static_assert(DmaLayout::kCompletions + DmaLayout::kMaxEntries * kCompletionBytes + DmaLayout::kCanaryBytes <=
              DmaLayout::kQueueBytes);
static_assert(DmaLayout::queue(DmaLayout::kEngines, 0) <= DmaLayout::kBounce);
static_assert(DmaLayout::kBounce + DmaLayout::kBounceBytes <= DmaLayout::kWindow);

}  // namespace firstlight::tern
