#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "tb/blocks/dice.h"
#include "tb/blocks/link/axi_requester.h"
#include "tb/golden/axi/sparse_memory.h"

namespace tb::blocks::link {

/// Makes random accesses to the neighbour and knows, for every byte, which values it may hold: the last one written
/// with OKAY, and those of writes that ended with an error, which may or may not have happened. Accesses that overlap
/// are never open together, so the order of reads and writes does not matter.
class Scoreboard {
 public:
  static constexpr unsigned blocks = 64;  ///< of 128 bytes: small, so that bytes are written often

  Scoreboard(AxiRequester& requester, std::uint64_t window, std::uint64_t seed);

  /// Checks what has ended, and submits accesses until `most_open` are open.
  void step(unsigned most_open);
  /// Checks what has ended; call when the requester is idle.
  void settle() { check_finished(); }
  /// Every byte of `memory` (whose first is at `base`) holds a value it may hold.
  void compare(const golden::axi::SparseMemory& memory, std::uint64_t base) const;

  std::size_t finished() const { return finished_; }
  std::size_t failed() const { return failed_; }

 private:
  struct Open {
    std::size_t handle;
    unsigned block;
  };
  void submit();
  void check_finished();
  void check(const Access& access);
  std::set<std::uint8_t>& may_hold(std::uint64_t offset);

  AxiRequester& requester_;
  std::uint64_t window_;
  Dice dice_;
  std::vector<Open> open_;
  std::set<unsigned> busy_;
  std::map<std::uint64_t, std::set<std::uint8_t>> values_;  // by offset; absent: 0
  std::size_t finished_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace tb::blocks::link
