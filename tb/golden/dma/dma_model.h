#pragma once

#include <cstdint>
#include <set>

#include "tb/golden/axi/sparse_memory.h"
#include "tb/golden/dma/dma_format.h"

namespace tb::golden::dma {

/// Where the bus answers with an error; addresses of 8-byte words, multiples of 8.
struct Faults {
  std::set<std::uint64_t> read;
  std::set<std::uint64_t> write;
};

/// Settings that change results.
struct Settings {
  unsigned ring_log2 = 4;
  unsigned comp_log2 = 4;
  std::uint64_t ring_base = 0;
  bool long_bursts = false;
};

/// What one descriptor does.
struct Outcome {
  Completion completion;
  bool runs = false;      ///< its source and destination were accepted
  Descriptor descriptor;  ///< as decoded
};

/// Executes descriptors one by one as docs/dma.md says, on a memory of its own. Bytes of a failed copy behind those
/// that its completion counts may be old or new on hardware; here they stay old.
class DmaModel {
 public:
  DmaModel(Settings settings, axi::SparseMemory& memory, const Faults& faults)
      : settings_(settings), memory_(memory), faults_(faults) {}

  /// The descriptor with this index, which ends as the `completion`-th one.
  Outcome execute(std::uint16_t index, std::uint16_t completion, const DescriptorWords& words);

 private:
  void copy(const Descriptor& d, Completion& c);
  std::uint64_t bytes_before_read_fault(const Descriptor& d, Completion& c) const;

  Settings settings_;
  axi::SparseMemory& memory_;
  const Faults& faults_;
};

/// The range lies in one window of the address map (rtl/README.md).
bool reachable(std::uint64_t addr, std::uint64_t bytes);

}  // namespace tb::golden::dma
