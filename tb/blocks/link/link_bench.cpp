#include "tb/blocks/link/link_bench.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace tb::blocks::link {

namespace {

constexpr std::array<const char*, 6> state_names = {"DISABLED", "DETECT", "POLLING", "CONFIG", "L0", "RECOVERY"};

firstlight::RegisterRef look_up(std::string_view name) {
  const auto lookup = firstlight::tern_registers().find("link." + std::string(name));
  if (!lookup) throw std::runtime_error(lookup.error);
  return *lookup.found;
}

}  // namespace

LinkBench::Side::Side(LinkBench& owner, unsigned side)
    : bench(fmt::format("side{}", side).c_str()), channel(seed() * 2 + side, 3), wires(owner, side), registers(bench) {}

LinkBench::LinkBench() : sides_{std::make_unique<Side>(*this, 0), std::make_unique<Side>(*this, 1)} {}

void LinkBench::Wires::sample() {
  word_ = bench_.dut(side_).tx_data_o;
  idle_ = bench_.dut(side_).tx_idle_o;
}

void LinkBench::Wires::drive() {
  const Wires& other = bench_.sides_[1 - side_]->wires;
  const auto received = bench_.channel(side_).exchange(other.word_, other.idle_);
  bench_.dut(side_).rx_data_i = received.word;
  bench_.dut(side_).rx_idle_i = received.idle;
}

void LinkBench::reset() {
  for (auto& side : sides_) {
    side->bench.clear_agents();
    side->bench.add(side->wires);
    side->bench.add(side->registers);
    side->channel.repair();
    side->channel.set_latency(3);
    Vlink_end& dut = side->bench.dut();
    dut.reg_valid_i = 0;
    dut.s_aw_valid_i = 0;
    dut.s_w_valid_i = 0;
    dut.s_ar_valid_i = 0;
    dut.s_b_ready_i = 0;
    dut.s_r_ready_i = 0;
    dut.m_aw_ready_i = 0;
    dut.m_w_ready_i = 0;
    dut.m_b_valid_i = 0;
    dut.m_ar_ready_i = 0;
    dut.m_r_valid_i = 0;
    dut.rst_ni = 0;
  }
  cycle(100);  // the channels run dry
  for (auto& side : sides_) side->bench.dut().rst_ni = 1;
  cycle();
}

void LinkBench::reset_side(unsigned side) {
  dut(side).rst_ni = 0;
  cycle(4);
  dut(side).rst_ni = 1;
  cycle();
}

bool LinkBench::access_fails(unsigned side, bool write, std::uint32_t address) {
  return sides_[side]->registers.raw_access(write, address, 0);
}

std::uint32_t LinkBench::read(unsigned side, std::string_view name) {
  return sides_[side]->registers.read("link." + std::string(name));
}

void LinkBench::write(unsigned side, std::string_view name, std::uint32_t raw) {
  sides_[side]->registers.write("link." + std::string(name), raw);
}

std::string LinkBench::value_name(unsigned side, std::string_view field) {
  return std::string(look_up(field).field->value_name(read(side, field)));
}

std::int64_t LinkBench::train(std::uint64_t limit) {
  enable_both();
  const std::uint64_t begin = cycles();
  while (cycles() - begin < limit)
    if (state(0) == State::l0 && state(1) == State::l0) return static_cast<std::int64_t>(cycles() - begin);
  return -1;
}

bool LinkBench::wait_state(unsigned side, State wanted, std::uint64_t limit) {
  const std::uint64_t begin = cycles();
  while (cycles() - begin < limit)
    if (state(side) == wanted) return true;
  return false;
}

std::vector<Transition> LinkBench::trace(unsigned side) {
  const std::uint32_t entries = read(side, "trace_status.entries");
  const std::uint32_t next = read(side, "trace_status.next");
  const auto* cause = look_up("status.cause").field;
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

std::string LinkBench::story(unsigned side) {
  std::string text = fmt::format("side {}:", side);
  for (const Transition& t : trace(side))
    text += fmt::format("\n  {:>8} {} -> {} ({})", t.time, state_names.at(static_cast<std::size_t>(t.from)),
                        state_names.at(static_cast<std::size_t>(t.to)), t.cause);
  return text;
}

namespace {

/// SystemC elaborates once a process, so there is one bench; it ends with the tests, before the kernel does.
class OneBench : public testing::Environment {
 public:
  LinkBench& get() {
    if (!bench_) bench_ = std::make_unique<LinkBench>();
    return *bench_;
  }
  void TearDown() override { bench_.reset(); }

 private:
  std::unique_ptr<LinkBench> bench_;
};
OneBench* const one_bench =
    dynamic_cast<OneBench*>(testing::AddGlobalTestEnvironment(std::make_unique<OneBench>().release()));

}  // namespace

LinkBench& fresh_bench() {
  LinkBench& bench = one_bench->get();
  bench.reset();
  return bench;
}

}  // namespace tb::blocks::link
