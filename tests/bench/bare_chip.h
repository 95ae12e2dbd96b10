#pragma once

#include <cstdint>
#include <memory>

#include "tb/chip/host_port.h"

class Vtern;
class Vtern_peer;
class VerilatedContext;

namespace bench {

/// The verilated chip and its link partner, lanes wired straight, clocked by a plain loop: no board, no SystemC, no
/// channel. What the whole model's speed is compared with.
class BareChip {
 public:
  explicit BareChip(std::uint64_t seed);
  BareChip(const BareChip&) = delete;
  BareChip& operator=(const BareChip&) = delete;
  ~BareChip();

  /// Powers the chip, starts its core, and has both ends send and check PRBS31 on all lanes.
  /// Throws std::runtime_error when a register does not answer or the core does not start.
  void start_prbs();
  /// @param cycles of the core clock
  void run(std::uint64_t cycles);
  std::uint64_t cycles() const { return cycles_; }
  /// Of the chip's register, by its host port.
  std::uint32_t read(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value);

 private:
  void cycle();
  void write_partner_link(std::uint16_t offset, std::uint32_t value);
  std::uint32_t access(bool write, std::uint32_t address, std::uint32_t value);

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vtern> chip_;
  std::unique_ptr<Vtern_peer> peer_;
  tb::HostPort host_;
  std::uint64_t cycles_ = 0;
  unsigned until_reference_ = 1;  // core cycles
};

}  // namespace bench
