#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/capabilities/dma_queue.h"

namespace firstlight {

/// A memory that the DMA engines reach.
struct DmaWindow {
  std::string name;  // "sram", "scratchpad", "hbm", "host", "peer"
  std::uint64_t base = 0;
  std::uint64_t size = 0;
};

/// The chip's DMA engines, each with its queues.
class Dma {
 public:
  static constexpr std::string_view kName = "dma";

  Dma() = default;
  Dma(const Dma&) = delete;
  Dma& operator=(const Dma&) = delete;
  virtual ~Dma() = default;

  virtual std::string part() const = 0;
  virtual std::vector<DmaWindow> windows() const = 0;
  virtual unsigned engines() const = 0;
  /// Of each engine.
  virtual unsigned queues() const = 0;
  /// Both count from 0; one that is not there is a FailureError (sequence).
  virtual DmaQueue& queue(unsigned engine, unsigned index) = 0;

  /// Bytes of a window, for filling and comparing: host memory directly, others by the first queue of the first engine,
  /// which must have nothing outstanding.
  virtual std::vector<std::uint8_t> peek(std::uint64_t address, std::size_t count) = 0;
  virtual void poke(std::uint64_t address, const std::vector<std::uint8_t>& bytes) = 0;

  /// Core cycles in which the engine had something under way.
  virtual std::uint64_t busy_cycles(unsigned engine) = 0;
  virtual void clear_counters(unsigned engine) = 0;
};

/// Throws FailureError (bench) when the engines reach no memory of that name.
DmaWindow window_of(const Dma& dma, const std::string& name);

}  // namespace firstlight
