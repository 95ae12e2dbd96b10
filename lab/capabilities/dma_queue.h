#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

/// A counting semaphore that a copy waits for before it begins: at least `count` (1 to 15), which it takes off.
struct DmaWait {
  unsigned semaphore = 0;  // 0 to 15
  unsigned count = 1;
};

/// One descriptor. Addresses are the chip's bus addresses, 40 bits. Row i goes from source + i x source_stride to
/// destination + i x destination_stride.
struct DmaCopy {
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint32_t length = 0;              // bytes of a row, 1 to 65536
  std::uint32_t rows = 1;                // 1 to 65535
  std::uint32_t source_stride = 0;       // bytes, below 2^24
  std::uint32_t destination_stride = 0;  // bytes, below 2^24
  bool barrier = false;                  // begins only when everything before it in its queue has ended
  bool chain = false;                    // the next one belongs to the same transfer, which has one completion
  std::optional<DmaWait> wait;
  std::optional<unsigned> signal;  // adds 1 to that semaphore when all its bytes are in memory

  std::uint64_t bytes() const { return std::uint64_t{length} * rows; }
};

/// What became of one transfer: of one copy, or of those of a chain together.
struct DmaCompletion {
  std::uint16_t id = 0;
  std::string status;  // "ok", "read_error", "write_error", "bad_address", "aborted", ...: the register map's names
  bool ok = false;
  std::uint64_t error_address = 0;  // what failed, 0 with "ok"
  std::uint64_t done = 0;           // bytes that are in memory for sure, from the first copy on
};

/// One queue of a DMA engine, with rings of its own for descriptors and completions.
class DmaQueue {
 public:
  DmaQueue() = default;
  DmaQueue(const DmaQueue&) = delete;
  DmaQueue& operator=(const DmaQueue&) = delete;
  virtual ~DmaQueue() = default;

  virtual std::string part() const = 0;
  /// Sets the rings up with poisoned descriptors and canaries behind their ends, and enables the queue.
  /// @param entries a power of two
  virtual void open(std::uint32_t entries) = 0;
  virtual void close() = 0;
  virtual bool is_open() const = 0;
  virtual std::uint32_t entries() const = 0;
  /// Descriptors that may still be submitted.
  virtual std::uint32_t room() const = 0;

  /// Puts descriptors into the ring, room() at the most, and rings the doorbell once. The last of a chain closes it.
  /// @return ids of the transfers, in order
  virtual std::vector<std::uint16_t> submit(const std::vector<DmaCopy>& copies) = 0;
  /// Completions that have come, each once. Throws FailureError (dut) for one that was never submitted or carries the
  /// wrong phase, and for a canary that was overwritten.
  virtual std::vector<DmaCompletion> completions() = 0;
  /// Waits for all that is outstanding; a timeout is a FailureError (dut) with ring pointers and counters.
  virtual std::vector<DmaCompletion> wait_all(Instant deadline) = 0;

  /// Ends what has started and halts this queue alone: transfers whose bytes are all in memory complete with "ok",
  /// others with "aborted". What has not started stays in the ring. A queue that does not halt in time is a
  /// FailureError (dut).
  virtual void abort(Instant deadline) = 0;
  /// Goes on behind what was aborted.
  virtual void resume() = 0;

  /// The first error that the queue latched, in words; empty when none.
  virtual std::string error() = 0;
  virtual void clear_error() = 0;
};

}  // namespace firstlight
