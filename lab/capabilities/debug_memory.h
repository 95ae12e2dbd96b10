#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

/// The chip's memory map as its debug module reaches it, by the system bus and with no core halted (RISC-V External
/// Debug Support 1.0, 3.10), or by what another architecture has for it. Works when the host port does not: before
/// firmware runs, and after it hung. Every call throws FailureError: dut for an address that the bus refuses (with the
/// address and the module's own error in words), infrastructure for a debug link that does not answer.
class DebugMemory {
 public:
  static constexpr std::string_view kName = "debug_memory";

  DebugMemory() = default;
  DebugMemory(const DebugMemory&) = delete;
  DebugMemory& operator=(const DebugMemory&) = delete;
  virtual ~DebugMemory() = default;

  virtual std::string part() const = 0;
  /// Widths of an access in bytes that the module has (of 1, 2, 4, 8, 16), ascending.
  virtual std::vector<unsigned> widths() const = 0;
  /// @param address in bytes, aligned to `width`  @param width in bytes, one of widths()
  /// @return `count` values of that width, little-endian, one after the other
  virtual std::vector<std::uint8_t> read(std::uint64_t address, unsigned width, std::size_t count,
                                         Instant deadline) = 0;
  /// @param bytes a multiple of `width`; done when the last access has ended without an error
  virtual void write(std::uint64_t address, unsigned width, const std::vector<std::uint8_t>& bytes,
                     Instant deadline) = 0;
};

}  // namespace firstlight
