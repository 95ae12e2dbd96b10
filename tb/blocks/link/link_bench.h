#pragma once

#include <Vlink_end.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rtl/regs/tern_registers.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/register_port.h"
#include "tb/channel/serdes_channel.h"

namespace tb::blocks::link {

/// The training states as status.state shows them.
enum class State : std::uint32_t { disabled = 0, detect = 1, polling = 2, configuration = 3, l0 = 4, recovery = 5 };

/// One transition out of the state trace.
struct Transition {
  std::uint32_t time;  ///< core cycles
  State from;
  State to;
  std::string cause;
};

/// Two links, 0 and 1, back to back through two channels, and their register ports. Side 0 is evaluated first in each
/// cycle, so the way to side 1 is one cycle shorter.
class LinkBench {
 public:
  LinkBench();

  BlockBench<Vlink_end>& side(unsigned side) { return sides_[side]->bench; }
  Vlink_end& dut(unsigned side) { return sides_[side]->bench.dut(); }
  /// The channel into side `to`.
  SerdesChannel& channel(unsigned to) { return sides_[to]->channel; }

  /// Resets both sides, repairs both channels, removes all agents but the bench's own.
  void reset();
  void reset_side(unsigned side);
  void cycle(std::uint64_t count = 1) { sides_[0]->bench.cycle(count); }
  std::uint64_t cycles() const { return sides_[0]->bench.cycles(); }

  // Registers, by names without the block ("status.state"). All throw std::runtime_error on an error answer.
  std::uint32_t read(unsigned side, std::string_view name);
  void write(unsigned side, std::string_view name, std::uint32_t raw);
  void command(unsigned side, std::string_view field) { write(side, field, 1); }
  /// The name of an enumerated field's value.
  std::string value_name(unsigned side, std::string_view field);
  /// True when the access is answered with an error.
  bool access_fails(unsigned side, bool write, std::uint32_t address);

  State state(unsigned side) { return static_cast<State>(read(side, "status.state")); }
  void enable_both() {
    write(0, "ctrl.enable", 1);
    write(1, "ctrl.enable", 1);
  }
  /// Enables both; cycles until both are in L0, or -1 when that took more than `limit`.
  std::int64_t train(std::uint64_t limit = 8000);
  bool wait_state(unsigned side, State state, std::uint64_t limit);
  std::vector<Transition> trace(unsigned side);
  /// The trace in words, for messages.
  std::string story(unsigned side);
  std::string stories() { return story(0) + "\n" + story(1) + "\n"; }

 private:
  /// The lanes of one side.
  class Wires : public Agent {
   public:
    explicit Wires(LinkBench& bench, unsigned side) : bench_(bench), side_(side) {}
    void sample() override;
    void drive() override;

   private:
    LinkBench& bench_;
    unsigned side_;
    std::uint64_t word_ = 0;
    std::uint8_t idle_ = 0xF;
  };
  struct Side {
    Side(LinkBench& bench, unsigned side);
    BlockBench<Vlink_end> bench;
    SerdesChannel channel;  ///< into this side
    Wires wires;
    RegisterPort<Vlink_end> registers;
  };

  std::array<std::unique_ptr<Side>, 2> sides_;
};

/// The one bench of this program, reset.
LinkBench& fresh_bench();

}  // namespace tb::blocks::link
