#include "tb/blocks/power/power_bench.h"

#include <sstream>

namespace tb::blocks::power {

using golden::PowerSequencer;
using Cause = PowerSequencer::Cause;
using State = PowerSequencer::State;

namespace {

// The states agree in every cycle; time stamps may be of the cycle before or after.
constexpr std::int64_t kTimeTolerance = 2;

class Comparison {
 public:
  template <class A, class B>
  void same(const std::string& what, A block, B model) {
    if (static_cast<std::uint64_t>(block) != static_cast<std::uint64_t>(model))
      text_ << what << ": block " << block << ", model " << model << "\n";
  }
  void near(const std::string& what, std::uint64_t block, std::uint64_t model) {
    const auto difference = static_cast<std::int64_t>(block) - static_cast<std::int64_t>(model);
    if (difference > kTimeTolerance || difference < -kTimeTolerance) same(what, block, model);
  }
  std::ostream& note() { return text_; }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

std::uint64_t long_read(const std::string& low, const std::string& high) {
  auto& r = bench().registers;
  return r.read(low) | std::uint64_t{r.read(high)} << 32U;
}

void compare_snapshot(Comparison& compare, const std::optional<PowerSequencer::Snapshot>& snapshot) {
  auto& r = bench().registers;
  compare.same("snapshot valid", r.read("power.fault.valid"), snapshot.has_value());
  if (!snapshot) return;
  compare.same("cause", r.read("power.fault.cause"), static_cast<unsigned>(snapshot->cause));
  compare.same("rail", r.read("power.fault.rail"), snapshot->rail);
  compare.same("state at the fault", r.read("power.fault.state"), static_cast<unsigned>(snapshot->state));
  compare.same("rails before", r.read("power.fault.rails_before"), snapshot->rails_before);
  compare.same("rails after", r.read("power.fault.rails_after"), snapshot->rails_after);
  compare.same("injected", r.read("power.fault.injected"), snapshot->injected);
  compare.near("time", long_read("power.fault_time_lo", "power.fault_time_hi"), snapshot->time);
}

}  // namespace

PowerBench::PowerBench() : clock("power"), registers(clock), world(clock), board(clock, world) {}

PowerBench& bench() {
  static PowerBench the_bench;
  return the_bench;
}

void PowerBench::begin() {
  world.reset(seed());
  clock.dut().rst_ni = 0;
  clock.cycle(4);
  board.restart();
  clock.reset();
}

void PowerBench::configure(const PowerSequencer::Config& c) {
  registers.write("power.rails", c.required | c.deglitch << 8U | c.lock_deglitch << 16U);
  registers.write("power.pll.lock_samples", c.lock_samples);
  registers.write("power.pll.min_wait", c.min_wait);
  registers.write("power.freq.window", c.window);
  registers.write("power.freq.monitor", c.freq_monitor);
  registers.write("power.timeout_rails", c.timeout_rails);
  registers.write("power.timeout_lock", c.timeout_lock);
  registers.write("power.delays", c.release_delay | c.stop_delay << 16U);
  registers.write("power.ctrl.fault_test", c.fault_test);
  if (c.auto_start) registers.write("power.ctrl.auto_start", 1);
}

void PowerBench::start() { registers.write("power.ctrl.start", 1); }
void PowerBench::stop() { registers.write("power.ctrl.stop", 1); }
void PowerBench::clear_fault() { registers.write("power.ctrl.clear_fault", 1); }
void PowerBench::inject(Cause cause, unsigned rail) {
  registers.write("power.fault_inject", static_cast<unsigned>(cause) | rail << 4U);
}

bool PowerBench::reach(State state, unsigned limit) {
  return clock.cycle_until([&] { return clock.dut().state_o == static_cast<unsigned>(state); }, limit);
}

bool PowerBench::bring_up() {
  world.rails = 0x1f;
  start();
  return reach(State::Run, 2000);
}

std::string PowerBench::differences() {
  Comparison compare;
  const auto& model = board.model;
  for (const auto& violation : board.violations) compare.note() << violation << "\n";
  compare.same("state", registers.read("power.status.state"), static_cast<unsigned>(model.state()));
  compare_snapshot(compare, model.snapshot());
  const char* const names[] = {"brownout", "thermtrip", "lock_lost", "freq_error", "rail_timeout", "lock_timeout"};
  for (unsigned i = 0; i < 6; ++i)
    compare.same(names[i], registers.read(std::string("power.") + names[i] + "_count"), model.counts().at(i + 1));
  compare.same("secondary", registers.read("power.secondary_count"), model.secondary());
  for (unsigned r = 0; r < PowerSequencer::kRails; ++r) {
    const auto index = "[" + std::to_string(r) + "]";
    compare.same("drops of rail " + index, registers.read("power.rail_events" + index + ".drops"), model.drops(r));
    compare.near("good time of rail " + index, long_read("power.rail_good_lo" + index, "power.rail_good_hi" + index),
                 model.good_at(r));
  }
  return compare.text();
}

}  // namespace tb::blocks::power
