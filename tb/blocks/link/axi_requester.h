#pragma once

#include <Vlink_end.h>

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/dice.h"
#include "tb/golden/axi/axi_types.h"
#include "tb/golden/axi/protocol_checker.h"

namespace tb::blocks::link {

/// One AXI4 burst and what came of it.
struct Access {
  bool write = false;
  std::uint8_t id = 0;
  std::uint64_t addr = 0;
  std::vector<std::uint64_t> data;          ///< write: to send; read: received
  std::vector<std::uint8_t> strb;           ///< write only, one a beat
  std::vector<golden::axi::Response> resp;  ///< write: one; read: one a beat
  unsigned beats = 0;
  bool done = false;
  std::uint64_t finished = 0;  ///< cycle of this requester's clock
  bool okay() const;
};

/// A manager on the port for accesses to the other side. Issues what is submitted, in order, reads and writes side by
/// side; checks the protocol of the port.
class AxiRequester : public Agent {
 public:
  /// `idle_in`: waits at random for each handshake, one cycle in `idle_in`; 0 never.
  AxiRequester(BlockBench<Vlink_end>& bench, std::uint64_t seed, unsigned idle_in);

  /// Returns a handle for `access`.
  std::size_t submit(Access access);
  const Access& access(std::size_t handle) const { return accesses_[handle]; }
  std::size_t submitted() const { return accesses_.size(); }
  bool idle() const { return open_ == 0; }
  const golden::axi::ProtocolChecker& checker() const { return checker_; }

  static Access read(std::uint64_t addr, unsigned beats, std::uint8_t id = 0);
  static Access write(std::uint64_t addr, std::vector<std::uint64_t> data, std::uint8_t id = 0);

  void sample() override;
  void drive() override;

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  bool pauses() { return idle_in_ != 0 && dice_.one_in(idle_in_); }
  void drive_address(std::deque<std::size_t>& queue, bool write);
  void drive_data();
  void take_responses(const golden::axi::Cycle& cycle);
  golden::axi::Cycle pins() const;

  BlockBench<Vlink_end>& bench_;
  Dice dice_;
  unsigned idle_in_;
  golden::axi::ProtocolChecker checker_;
  golden::axi::Cycle seen_;
  std::deque<Access> accesses_;
  std::deque<std::size_t> writes_;  ///< addresses to issue
  std::deque<std::size_t> reads_;
  std::deque<std::size_t> data_;  ///< write data to send, once the address is out
  std::size_t beat_ = 0;
  std::array<std::deque<std::size_t>, 16> write_answers_;
  std::array<std::deque<std::size_t>, 16> read_answers_;
  std::size_t open_ = 0;
};

}  // namespace tb::blocks::link
