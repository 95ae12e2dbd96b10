#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "tb/blocks/dma/dma_bench.h"

namespace tb::blocks {

/// What one kind of traffic looks like.
struct TrafficMix {
  std::array<RingPlan, golden::dma::queues> plans;
  MemoryManners manners;
  unsigned descriptors = 1000;  ///< on all queues together
  double bad = 0;               ///< chance of a descriptor with something wrong in it
  unsigned faults = 0;          ///< bad words in each of the arenas
  double lazy = 0;              ///< chance that a consumed completion is not released at once
  double chained = 0.2;         ///< chance of a transfer of several descriptors
  double planar = 0.3;          ///< chance of a descriptor with rows
  double waits = 0.1;           ///< chance of a wait for a semaphore; others on the chip give them all the time
  double large = 0.2;           ///< chance of rows beyond 600 bytes
};

/// Random descriptors on all queues, in rounds: a round uses each destination byte once, then all memory is compared.
class DmaTraffic {
 public:
  DmaTraffic(const TrafficMix& mix, std::uint64_t salt);

  void run();
  /// Completions by status, and descriptors.
  const std::map<golden::dma::Status, unsigned>& seen() const { return seen_; }
  unsigned submitted() const { return submitted_; }
  unsigned submitted(unsigned queue) const { return lanes_.at(queue).submitted; }

 private:
  /// One queue.
  struct Lane {
    std::deque<golden::dma::Outcome> due;
    std::vector<golden::dma::Descriptor>
        done;  ///< of this round, that must have succeeded; ones with dmb may read them
    unsigned submitted = 0;
    unsigned idle_steps = 0;
  };

  void round();
  void step();
  void take(unsigned queue, const golden::dma::Completion& got);
  golden::dma::Descriptor draw(const Lane& lane);
  void draw_semaphores(golden::dma::Descriptor& d);
  bool draw_source(golden::dma::Descriptor& d, const Lane& lane);
  void submit(unsigned queue);
  std::uint32_t draw_bytes();
  std::optional<std::uint64_t> place(std::uint64_t bytes);
  void spoil(golden::dma::DescriptorWords& words);
  golden::dma::Faults draw_faults();
  void expect_semaphores();
  bool quiet() const;

  TrafficMix mix_;
  DmaBench& bench_;
  std::array<std::uint64_t, 6> used_{};
  std::array<Lane, golden::dma::queues> lanes_;
  std::map<golden::dma::Status, unsigned> seen_;
  std::array<std::uint64_t, 16> gives_{};        ///< that the engine must have given
  std::array<std::uint64_t, 16> least_takes_{};  ///< that it must have taken
  std::array<std::uint64_t, 16> most_takes_{};   ///< with those of descriptors that may have been passed over
  unsigned submitted_ = 0;
  bool full_ = false;
};

}  // namespace tb::blocks
