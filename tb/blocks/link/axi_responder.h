#pragma once

#include <Vlink_end.h>

#include <cstdint>
#include <deque>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/dice.h"
#include "tb/golden/axi/axi_types.h"
#include "tb/golden/axi/protocol_checker.h"
#include "tb/golden/axi/sparse_memory.h"

namespace tb::blocks::link {

/// The SRAM behind one link: serves what the other side asks for, 64 KiB from `base`.
class AxiResponder : public Agent {
 public:
  static constexpr std::uint64_t base = 0x10'0000;
  static constexpr std::uint64_t bytes = 0x1'0000;

  /// `idle_in`: waits at random for each handshake, one cycle in `idle_in`; 0 never.
  AxiResponder(BlockBench<Vlink_end>& bench, std::uint64_t seed, unsigned idle_in);

  golden::axi::SparseMemory& memory() { return memory_; }
  /// Answers nothing while set.
  void set_stuck(bool stuck) { stuck_ = stuck; }
  /// The next burst of that kind ends with SLVERR.
  void fail_next_write() { fail_write_ = true; }
  void fail_next_read() { fail_read_ = true; }
  /// Accesses beyond the 64 KiB: the link must not make any.
  unsigned strays() const { return strays_; }
  const golden::axi::ProtocolChecker& checker() const { return checker_; }

  void sample() override;
  void drive() override;

 private:
  struct Burst {
    golden::axi::Address address;
    unsigned beat = 0;
    bool fails = false;
  };
  bool pauses() { return idle_in_ != 0 && dice_.one_in(idle_in_); }
  golden::axi::Cycle pins() const;
  void take(const golden::axi::Cycle& cycle);
  bool inside(const golden::axi::Address& address) const;

  BlockBench<Vlink_end>& bench_;
  Dice dice_;
  unsigned idle_in_;
  golden::axi::ProtocolChecker checker_;
  golden::axi::Cycle seen_;
  golden::axi::SparseMemory memory_;
  std::deque<Burst> writes_;
  std::deque<Burst> answers_;
  std::deque<Burst> reads_;
  bool stuck_ = false;
  bool fail_write_ = false;
  bool fail_read_ = false;
  unsigned strays_ = 0;
};

}  // namespace tb::blocks::link
