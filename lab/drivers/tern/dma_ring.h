#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "lab/capabilities/dma_queue.h"

namespace firstlight::tern {

/// The memory formats of Tern's DMA rings (docs/dma.md). Words are little-endian, 64 bits.
inline constexpr std::size_t kDescriptorBytes = 32;
inline constexpr std::size_t kCompletionBytes = 16;

enum class DmaStatus : std::uint8_t {
  ok,
  bad_descriptor,
  bad_address,
  read_error,
  write_error,
  phase_mismatch,
  aborted,
  fetch_error
};

/// "ok", "bad_descriptor", ...: the names of the register map; "status 9" for what it does not know.
std::string name_of(unsigned status);

struct Completion {
  std::uint16_t tag = 0;
  std::uint16_t index = 0;
  std::uint32_t bytes = 0;  // modulo 2^32
  unsigned status = 0;
  std::uint64_t address = 0;
  unsigned phase = 0;
};

/// The 2-bit phase of entry `index` (free-running) in a ring of 2^log2 entries: counts the passes, from 1.
constexpr unsigned phase_of(std::uint16_t index, unsigned log2) {
  return ((static_cast<unsigned>(index) >> log2) + 1U) & 3U;
}

/// @param copy within the ranges that DmaCopy gives
std::array<std::uint8_t, kDescriptorBytes> encode(const DmaCopy& copy, std::uint16_t tag, unsigned phase);
Completion decode(const std::array<std::uint8_t, kCompletionBytes>& bytes);

}  // namespace firstlight::tern
