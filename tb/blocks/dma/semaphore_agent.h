#pragma once

#include <array>
#include <cstdint>

#include "Vdma_bench_top.h"
#include "tb/blocks/block_bench.h"

namespace tb::blocks {

/// The tensor engine's semaphores as others use them (docs/tensor.md): an attempt is answered in the next cycle, and
/// what is given in a cycle counts before what is taken.
class SemaphoreAgent : public Agent {
 public:
  explicit SemaphoreAgent(Vdma_bench_top& dut) : dut_(dut) {}

  void sample() override;
  void drive() override { dut_.sem_taken_i = taken_; }
  void reset();

  /// Adds as others on the chip do.
  void give(unsigned sem, unsigned count = 1) { counts_.at(sem) += count; }
  std::uint64_t count(unsigned sem) const { return counts_.at(sem); }

  std::array<std::uint64_t, 16> given{};  ///< by the engine, so far
  std::array<std::uint64_t, 16> taken{};  ///< by the engine, so far
  std::uint64_t attempts = 0;

 private:
  Vdma_bench_top& dut_;
  std::array<std::uint64_t, 16> counts_{};
  bool taken_ = false;
};

}  // namespace tb::blocks
