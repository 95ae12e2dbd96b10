#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "tb/golden/dma/dma_format.h"
#include "tb/golden/dma/dma_model.h"

namespace tb::blocks {

class DmaBench;

/// How a test sets a queue up; rings of queue q are `queue_distance` times q further on.
struct RingPlan {
  std::uint64_t ring_base = 0x01'0000'1000;
  unsigned ring_log2 = 4;
  std::uint64_t comp_base = 0x02'8000'1000;
  unsigned comp_log2 = 4;
  bool long_bursts = false;  ///< of the engine: that of queue 0 counts
  bool halt_on_error = false;
  unsigned irq_coalesce = 0;
};
constexpr std::uint64_t queue_distance = 0x4'0000;

/// The software that feeds one queue, with the golden model beside it.
class DmaSoftware {
 public:
  DmaSoftware(DmaBench& bench, unsigned queue) : bench_(bench), queue_(queue) {}

  /// Empty rings with poison in them and canaries around; the queue is programmed and enabled.
  void restart(const RingPlan& plan);
  const RingPlan& plan() const { return plan_; }  ///< with the bases of this queue

  /// "doorbell" of queue 2 is "dma.doorbell[2]", "q_status.busy" is "dma.q_status[2].busy".
  std::string name(const std::string& reg) const;
  std::uint32_t read(const std::string& reg);
  void write(const std::string& reg, std::uint32_t value);

  std::uint16_t tail() const { return tail_; }          ///< next descriptor to write
  std::uint16_t consumer() const { return consumer_; }  ///< next completion to read
  /// Descriptors that have not been seen to end, room for more, and what was submitted.
  unsigned open() const { return static_cast<std::uint16_t>(tail_ - ended_); }
  unsigned space() const { return (1U << plan_.ring_log2) - open(); }
  /// Writes a descriptor; the model executes it. Fills in the phase.
  golden::dma::Outcome submit(golden::dma::Descriptor descriptor);
  golden::dma::Outcome submit_words(const golden::dma::DescriptorWords& words);
  void doorbell() { write("doorbell", tail_); }
  /// The next completion when it has arrived. Its place is poisoned again; `release` gives it back to the engine.
  std::optional<golden::dma::Completion> poll();
  void release() { write("comp_consumer", consumer_); }
  /// Cycles until a completion comes; fails the test after `limit`.
  golden::dma::Completion wait(std::uint64_t limit = 200000);
  /// Waits for the next completion and compares it and the memory of its copy with what the model said of its only
  /// descriptor.
  void expect(const golden::dma::Outcome& outcome, std::uint64_t limit = 200000);

 private:
  void poison(std::uint16_t completion);

  DmaBench& bench_;
  unsigned queue_;
  RingPlan plan_;
  std::optional<golden::dma::DmaModel> model_;
  std::uint16_t tail_ = 0;
  std::uint16_t consumer_ = 0;
  std::uint16_t ended_ = 0;
};

}  // namespace tb::blocks
