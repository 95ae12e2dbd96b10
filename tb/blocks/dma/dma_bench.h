#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "Vdma_bench_top.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/dma/axi_memory_agent.h"
#include "tb/blocks/register_port.h"
#include "tb/golden/dma/dma_format.h"
#include "tb/golden/dma/dma_model.h"

namespace tb::blocks {

/// How a test sets the engine up.
struct RingPlan {
  std::uint64_t ring_base = 0x01'0000'1000;
  unsigned ring_log2 = 4;
  std::uint64_t comp_base = 0x02'8000'1000;
  unsigned comp_log2 = 4;
  bool long_bursts = false;
  bool halt_on_error = false;
  unsigned irq_coalesce = 0;
};

/// The DMA engine on a memory, and the software that feeds it. `expected` is the memory as the golden model leaves it;
/// software's own writes go to both. One a process; each test begins with `restart`.
class DmaBench {
 public:
  using Model = Vdma_bench_top;
  static DmaBench& instance();

  /// Reset, empty memories, rings with poison in them and canaries around, engine enabled.
  void restart(const RingPlan& plan, std::uint64_t salt);

  // Software.
  std::uint16_t tail() const { return tail_; }          ///< next descriptor to write
  std::uint16_t consumer() const { return consumer_; }  ///< next completion to read
  unsigned open() const { return static_cast<std::uint16_t>(tail_ - consumer_); }
  bool has_space() const { return open() < (1U << plan_.ring_log2); }
  /// Writes a descriptor; the model executes it. Fills in the phase unless `keep_phase`.
  golden::dma::Outcome submit(golden::dma::Descriptor descriptor, bool keep_phase = false);
  golden::dma::Outcome submit_words(const golden::dma::DescriptorWords& words);
  void doorbell() { registers.write("dma.doorbell", tail_); }
  /// The next completion when it has arrived. Its place is poisoned again; `release` gives it back to the engine.
  std::optional<golden::dma::Completion> poll();
  void release() { registers.write("dma.comp_consumer", consumer_); }
  /// Cycles until a completion comes; fails the test after `limit`.
  golden::dma::Completion wait(std::uint64_t limit = 200000);
  /// Waits for the next completion and compares it and the memory of its copy with what the model said.
  void expect(const golden::dma::Outcome& outcome, std::uint64_t limit = 200000);
  /// The bytes of a failed copy that its completion does not count are old or new, no third thing; then they count as
  /// expected.
  void settle(const golden::dma::Outcome& outcome, const golden::dma::Completion& completion,
              const std::vector<std::uint8_t>& source);
  /// Nothing is open, the bus was used by the rules, and every byte of memory is as expected.
  void expect_clean();

  void fill(std::uint64_t addr, std::uint64_t bytes);  ///< random bytes in both memories
  void set_faults(const golden::dma::Faults& faults);
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

 private:
  DmaBench();
  void poison(std::uint16_t completion);

  RingPlan plan_;
  std::mt19937_64 random_;
  golden::dma::Faults faults_;
  std::uint16_t tail_ = 0;
  std::uint16_t consumer_ = 0;
};

}  // namespace tb::blocks
