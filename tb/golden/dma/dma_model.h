#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "tb/golden/axi/sparse_memory.h"
#include "tb/golden/dma/dma_format.h"

namespace tb::golden::dma {

/// Where the bus answers with an error; addresses of 8-byte words, multiples of 8.
struct Faults {
  std::set<std::uint64_t> read;
  std::set<std::uint64_t> write;
};

/// Settings of a queue that change results.
struct Settings {
  unsigned ring_log2 = 4;
  unsigned comp_log2 = 4;
  std::uint64_t ring_base = 0;
  bool long_bursts = false;
};

/// What one descriptor does.
struct Outcome {
  Descriptor descriptor;     ///< as decoded
  bool runs = false;         ///< its source and destination were accepted
  bool passed_over = false;  ///< its transfer had failed before: it moves nothing, or what it moves does not count
  bool gives = false;        ///< its semaphore
  std::uint64_t good = 0;    ///< its bytes that are in memory for sure, row by row
  std::optional<Completion> completion;  ///< of its transfer, which ends with it
};

/// Executes the descriptors of one queue one by one as docs/dma.md says, on a memory that queues may share. Bytes of a
/// failed transfer behind those that its completion counts may be old or new on hardware; here they stay old.
class DmaModel {
 public:
  DmaModel(Settings settings, axi::SparseMemory& memory, const Faults& faults)
      : settings_(settings), memory_(&memory), faults_(&faults) {}

  /// The descriptor with this index; they come in order.
  Outcome execute(std::uint16_t index, const DescriptorWords& words);

 private:
  /// What is wrong with a descriptor or its bytes.
  struct Error {
    Status status = Status::ok;
    std::uint64_t addr = 0;
  };
  Error check(std::uint16_t index, const DescriptorWords& words) const;
  Error copy(const Descriptor& d, std::uint64_t& good);
  Error copy_row(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes, std::uint64_t& good);

  Settings settings_;
  axi::SparseMemory* memory_;
  const Faults* faults_;
  std::uint16_t completions_ = 0;
  Error error_;              ///< of the transfer under way
  std::uint64_t bytes_ = 0;  ///< of the transfer under way
};

/// So many bytes from `addr` on lie in one region of the address map (rtl/README.md).
bool reachable(std::uint64_t addr, std::uint64_t bytes);

}  // namespace tb::golden::dma
