#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "Vdma_bench_top.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/dma/axi_memory_agent.h"
#include "tb/blocks/dma/dma_software.h"
#include "tb/blocks/dma/semaphore_agent.h"
#include "tb/blocks/register_port.h"
#include "tb/golden/dma/dma_model.h"

namespace tb::blocks {

/// The DMA engine on a memory and on semaphores, and the software that feeds its queues. `expected` is the memory as
/// the golden model leaves it; software's own writes go to both. One a process; each test begins with `restart`.
class DmaBench {
 public:
  using Model = Vdma_bench_top;
  static DmaBench& instance();

  /// Reset, empty memories, and each queue restarted: all with the same plan, or each with its own.
  void restart(const RingPlan& plan, std::uint64_t salt);
  void restart_each(const std::array<RingPlan, golden::dma::queues>& plans, std::uint64_t salt);

  DmaSoftware& queue(unsigned q) { return queues_.at(q); }
  /// The bytes of a descriptor that do not count are old or new, no third thing; then they count as expected. The
  /// first `good` must be new.
  void settle(const golden::dma::Outcome& outcome, std::uint64_t good);
  /// Nothing is open, the bus was used by the rules, and every byte of memory is as expected.
  void expect_clean();

  void fill(std::uint64_t addr, std::uint64_t bytes);  ///< random bytes in both memories
  void set_faults(const golden::dma::Faults& faults);
  const golden::dma::Faults& faults() const { return faults_; }
  std::uint64_t random(std::uint64_t low, std::uint64_t high) {
    return std::uniform_int_distribution<std::uint64_t>(low, high)(random_);
  }
  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }
  std::mt19937_64& generator() { return random_; }

  BlockBench<Model> block;
  RegisterPort<Model> registers;
  golden::axi::SparseMemory memory;
  golden::axi::SparseMemory expected;
  AxiMemoryAgent port;
  SemaphoreAgent semaphores;

 private:
  DmaBench();

  std::array<DmaSoftware, golden::dma::queues> queues_{
      {DmaSoftware(*this, 0), DmaSoftware(*this, 1), DmaSoftware(*this, 2), DmaSoftware(*this, 3)}};
  std::mt19937_64 random_;
  golden::dma::Faults faults_;
};

}  // namespace tb::blocks
