#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

/// Addresses are the chip's bus addresses, 40 bits.
struct DmaCopy {
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint32_t length = 0;  // bytes, 1 to 65536
};

struct DmaCompletion {
  std::uint16_t id = 0;
  std::string status;  // "ok", "bus_error", "bad_address", "bad_descriptor": the register map's names
  bool ok = false;
  std::uint64_t error_address = 0;  // of a bus error
  std::uint32_t done = 0;           // bytes that were moved
};

/// A memory that the DMA engine reaches.
struct DmaWindow {
  std::string name;  // "sram", "hbm", "host", "peer"
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};

/// The chip's DMA engine with its descriptor and completion rings.
class Dma {
 public:
  static constexpr std::string_view kName = "dma";

  Dma() = default;
  Dma(const Dma&) = delete;
  Dma& operator=(const Dma&) = delete;
  virtual ~Dma() = default;

  virtual std::string part() const = 0;
  virtual std::vector<DmaWindow> windows() const = 0;
  /// Sets the rings up with poisoned descriptors and canaries behind their ends, and enables the engine.
  /// @param entries a power of two
  virtual void open(std::uint32_t entries) = 0;
  virtual void close() = 0;
  virtual bool is_open() const = 0;
  virtual std::uint32_t entries() const = 0;

  /// Puts descriptors into the ring (no more than entries() - 1 outstanding) and rings the doorbell once.
  /// @return their ids, in order
  virtual std::vector<std::uint16_t> submit(const std::vector<DmaCopy>& copies) = 0;
  /// Completions that have come, each once. Throws FailureError (dut) for one that was never submitted or carries the
  /// wrong phase, and for a canary that was overwritten.
  virtual std::vector<DmaCompletion> completions() = 0;
  /// Waits for all that is outstanding; a timeout is a FailureError (dut) with ring pointers and counters.
  virtual std::vector<DmaCompletion> wait_all(Instant deadline) = 0;

  /// Bytes of a window, for filling and comparing: host memory directly, others through their host port.
  virtual std::vector<std::uint8_t> peek(std::uint64_t address, std::size_t count) = 0;
  virtual void poke(std::uint64_t address, const std::vector<std::uint8_t>& bytes) = 0;

  virtual std::vector<std::pair<std::string, std::uint64_t>> counters() = 0;
  virtual void clear_counters() = 0;
  /// The first error that the engine latched, in words; empty when none.
  virtual std::string error() = 0;
  virtual void clear_error() = 0;
};

}  // namespace firstlight
