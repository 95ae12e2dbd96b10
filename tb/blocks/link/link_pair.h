#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
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

const char* state_name(State state);
/// A field or register of block link. Throws std::runtime_error when there is none of that name.
firstlight::RegisterRef find_register(std::string_view name);

/// One transition out of the state trace.
struct Transition {
  std::uint32_t time;  ///< core cycles
  State from;
  State to;
  std::string cause;
};

/// Two links, 0 and 1, back to back through two channels, and their register ports. Side 0 is evaluated first in each
/// cycle, so the way to side 1 is one cycle shorter. `Model` has the ports of the lanes and of the registers.
template <class Model>
class LinkPair {
 public:
  LinkPair() : sides_{std::make_unique<Side>(*this, 0), std::make_unique<Side>(*this, 1)} {}
  LinkPair(const LinkPair&) = delete;
  LinkPair& operator=(const LinkPair&) = delete;
  LinkPair(LinkPair&&) = delete;
  LinkPair& operator=(LinkPair&&) = delete;
  virtual ~LinkPair() = default;

  BlockBench<Model>& side(unsigned side) { return sides_[side]->bench; }
  Model& dut(unsigned side) { return sides_[side]->bench.dut(); }
  /// The register bus of a side, by whole names ("link.status.state").
  RegisterPort<Model>& registers(unsigned side) { return sides_[side]->registers; }
  /// The channel into side `to`.
  SerdesChannel& channel(unsigned to) { return sides_[to]->channel; }

  /// Resets both sides, repairs both channels, removes all agents but the bench's own.
  void reset() {
    for (auto& side : sides_) {
      side->bench.clear_agents();
      side->bench.add(side->wires);
      side->bench.add(side->registers);
      side->channel.repair();
      side->channel.set_latency(3);
      side->bench.dut().reg_valid_i = 0;
      quiet(side->bench.dut());
      side->bench.dut().rst_ni = 0;
    }
    cycle(100);  // the channels run dry
    for (auto& side : sides_) side->bench.dut().rst_ni = 1;
    cycle();
  }
  void reset_side(unsigned side) {
    dut(side).rst_ni = 0;
    cycle(4);
    dut(side).rst_ni = 1;
    cycle();
  }
  void cycle(std::uint64_t count = 1) { sides_[0]->bench.cycle(count); }
  std::uint64_t cycles() const { return sides_[0]->bench.cycles(); }

  // Registers, by names without the block ("status.state"). All throw std::runtime_error on an error answer.
  std::uint32_t read(unsigned side, std::string_view name) {
    return sides_[side]->registers.read("link." + std::string(name));
  }
  void write(unsigned side, std::string_view name, std::uint32_t raw) {
    sides_[side]->registers.write("link." + std::string(name), raw);
  }
  void command(unsigned side, std::string_view field) { write(side, field, 1); }
  /// The name of an enumerated field's value.
  std::string value_name(unsigned side, std::string_view field) {
    return std::string(find_register(field).field->value_name(read(side, field)));
  }
  /// True when the access is answered with an error.
  bool access_fails(unsigned side, bool write, std::uint32_t address) {
    return sides_[side]->registers.raw_access(write, address, 0);
  }

  State state(unsigned side) { return static_cast<State>(read(side, "status.state")); }
  void enable_both() {
    write(0, "ctrl.enable", 1);
    write(1, "ctrl.enable", 1);
  }
  /// Enables both; cycles until both are in L0, or -1 when that took more than `limit`.
  std::int64_t train(std::uint64_t limit = 8000) {
    enable_both();
    const std::uint64_t begin = cycles();
    while (cycles() - begin < limit)
      if (state(0) == State::l0 && state(1) == State::l0) return static_cast<std::int64_t>(cycles() - begin);
    return -1;
  }
  bool wait_state(unsigned side, State wanted, std::uint64_t limit) {
    const std::uint64_t begin = cycles();
    while (cycles() - begin < limit)
      if (state(side) == wanted) return true;
    return false;
  }
  std::vector<Transition> trace(unsigned side);
  /// The trace in words, for messages.
  std::string story(unsigned side) {
    std::string text = fmt::format("side {}:", side);
    for (const Transition& t : trace(side))
      text += fmt::format("\n  {:>8} {} -> {} ({})", t.time, state_name(t.from), state_name(t.to), t.cause);
    return text;
  }
  std::string stories() { return story(0) + "\n" + story(1) + "\n"; }

 protected:
  /// Nothing is asked of the ports that only `Model` has.
  virtual void quiet(Model& dut) = 0;

 private:
  /// The lanes of one side.
  class Wires : public Agent {
   public:
    Wires(LinkPair& pair, unsigned side) : pair_(pair), side_(side) {}
    void sample() override {
      word_ = pair_.dut(side_).tx_data_o;
      idle_ = pair_.dut(side_).tx_idle_o;
    }
    void drive() override {
      const Wires& other = pair_.sides_[1 - side_]->wires;
      const auto received = pair_.channel(side_).exchange(other.word_, other.idle_);
      Model& dut = pair_.dut(side_);
      dut.rx_data_i = received.word;
      dut.rx_idle_i = received.idle;
      if (dut.eye_run_o)
        dut.eye_data_i = pair_.channel(side_).look(dut.eye_lane_o, {dut.eye_phase_o, dut.eye_offset_o});
    }

   private:
    LinkPair& pair_;
    unsigned side_;
    std::uint64_t word_ = 0;
    std::uint8_t idle_ = 0xF;
  };
  struct Side {
    Side(LinkPair& pair, unsigned side)
        : bench(fmt::format("side{}", side).c_str()),
          channel(seed() * 2 + side, 3),
          wires(pair, side),
          registers(bench) {}
    BlockBench<Model> bench;
    SerdesChannel channel;  ///< into this side
    Wires wires;
    RegisterPort<Model> registers;
  };

  std::array<std::unique_ptr<Side>, 2> sides_;
};

template <class Model>
std::vector<Transition> LinkPair<Model>::trace(unsigned side) {
  const std::uint32_t entries = read(side, "trace_status.entries");
  const std::uint32_t next = read(side, "trace_status.next");
  const auto* cause = find_register("status.cause").field;
  std::vector<Transition> transitions;
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::uint32_t at = (next + 64 - entries + i) % 64;
    const std::uint32_t time = read(side, fmt::format("trace[{}]", 8 * at));
    const std::uint32_t word = read(side, fmt::format("trace[{}]", 8 * at + 4));
    transitions.push_back({time, static_cast<State>((word >> 8) & 7), static_cast<State>(word & 7),
                           std::string(cause->value_name((word >> 16) & 0x1F))});
  }
  return transitions;
}

}  // namespace tb::blocks::link
