#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/capabilities/dma.h"
#include "lab/capabilities/registers.h"
#include "lab/core/bench_time.h"
#include "lab/drivers/tern/tern_clock.h"
#include "lab/drivers/tern/tern_dma_queue.h"
#include "lab/transports/dma_memory.h"

namespace firstlight::tern {

/// Tern's two DMA engines of four queues, `dma0` and `dma1`. Host memory holds what dma_layout.h says.
class TernDma : public Dma {
 public:
  TernDma(std::string name, Registers& registers, std::shared_ptr<DmaMemory> memory, BenchTime& time, TernClock clock,
          std::uint64_t hbm_bytes);

  std::string part() const override { return name_ + " dma"; }
  std::vector<DmaWindow> windows() const override;
  unsigned engines() const override;
  unsigned queues() const override;
  DmaQueue& queue(unsigned engine, unsigned index) override;
  std::vector<std::uint8_t> peek(std::uint64_t address, std::size_t count) override;
  void poke(std::uint64_t address, const std::vector<std::uint8_t>& bytes) override;
  std::uint64_t busy_cycles(unsigned engine) override;
  void clear_counters(unsigned engine) override;

 private:
  bool in_host(std::uint64_t address, std::size_t count) const;
  void bounce(std::uint64_t source, std::uint64_t destination, std::uint32_t length);

  std::string name_;
  Registers& registers_;
  std::shared_ptr<DmaMemory> memory_;
  BenchTime& time_;
  TernClock clock_;
  std::uint64_t hbm_bytes_;
  std::vector<std::unique_ptr<TernDmaQueue>> queues_;  // engine by engine
};

}  // namespace firstlight::tern
