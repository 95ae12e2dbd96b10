#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lab/capabilities/dma.h"

namespace firstlight::steps {

/// What random traffic is made of.
struct DmaTrafficPlan {
  std::uint32_t longest = 0;  // bytes of a copy, 4096 at the most
  std::uint32_t entries = 0;  // of each ring
  std::size_t queues = 0;
  bool semaphores = false;  // copies may wait for those of other queues
  bool aborts = false;      // some queues are aborted while others run
};

/// A row of a transfer: where it goes, and what is there before and after.
struct DmaRow {
  std::size_t area = 0;
  std::uint64_t offset = 0;
  std::vector<std::uint8_t> before;
  std::vector<std::uint8_t> after;
};

/// One transfer: one copy, or a chain of them.
struct DmaTransfer {
  std::size_t queue = 0;
  std::vector<DmaCopy> copies;
  std::vector<DmaRow> rows;  // in the order in which the engine counts bytes
  bool doomed = false;       // its queue is aborted after it was submitted

  std::uint64_t bytes() const;
};

struct DmaBatch {
  std::vector<DmaTransfer> transfers;  // those of a queue are submitted in this order
  std::size_t victim = kNone;          // the queue that is aborted
  static constexpr std::size_t kNone = ~std::size_t{0};
};

/// A part of one memory that copies go to and come from, with what it should hold. No copy touches the guard behind it.
struct DmaArea {
  static constexpr std::size_t kGuard = 64;
  DmaWindow window;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> before;  // each byte as it was before it was last written
};

/// Makes random batches of 1-D and 2-D copies, chains, and pairs whose second copy reads what the first one wrote
/// (ordered by a barrier or a semaphore), and keeps what the memories hold afterwards. Transfers of one batch that
/// nothing orders never touch each other's bytes.
class DmaTraffic {
 public:
  DmaTraffic(const DmaTrafficPlan& plan, std::uint64_t seed);

  /// An area of the window with random content.
  void add(const DmaWindow& window);
  std::vector<DmaArea>& areas() { return areas_; }
  /// @param most transfers
  DmaBatch next(std::uint64_t most);
  /// What an aborted transfer has really left: the model takes it over.
  void found(const DmaRow& row, const std::vector<std::uint8_t>& bytes);

 private:
  struct Slot {
    std::size_t area = 0;
    std::uint64_t offset = 0;
  };

  std::uint64_t draw(std::uint64_t below);
  bool chance(unsigned in) { return draw(in) == 0; }
  void shuffle_slots();
  Slot take();
  std::size_t pick_queue(const DmaBatch& batch);
  DmaCopy copy(const Slot& from, const Slot& to, DmaTransfer& transfer);
  void apply(const DmaCopy& copy, const Slot& from, const Slot& to, DmaTransfer& transfer);
  void add_transfer(DmaBatch& batch, std::size_t queue);
  void add_pair(DmaBatch& batch, std::size_t queue);
  std::uint32_t room(std::size_t queue) const { return plan_.entries - used_[queue]; }

  DmaTrafficPlan plan_;
  std::mt19937_64 random_;
  std::uint64_t slot_bytes_;
  std::vector<DmaArea> areas_;
  std::vector<Slot> free_;           // of the batch that is being made
  std::vector<std::uint32_t> used_;  // descriptors of it, by queue
  unsigned semaphore_ = 0;           // the next one that no pair of the batch uses
};

}  // namespace firstlight::steps
