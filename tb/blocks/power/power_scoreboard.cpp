#include "tb/blocks/power/power_scoreboard.h"

#include <algorithm>
#include <cmath>

#include "rtl/regs/tern_registers.h"

namespace tb::blocks::power {

using State = golden::PowerSequencer::State;

namespace {
constexpr std::uint32_t kBase = 0x1000;  // of the block on the host port, by which registers are named
}

PowerScoreboard::PowerScoreboard(BlockBench<Vpower_dut>& bench, PowerWorld& world) : bench_(bench), world_(world) {
  bench.add(*this);
}

void PowerScoreboard::restart() {
  model = golden::PowerSequencer();
  violations.clear();
  trace.clear();
  state_before_ = State::Off;
  core_ran_ = pll_ran_ = false;
  bad_pin_cycles_ = {};
  bad_rail_cycles_ = trip_cycles_ = locked_cycles_ = unlocked_cycles_ = longest_lock_ = 0;
}

void PowerScoreboard::expect(bool good, const char* what) {
  if (!good && violations.size() < 10) violations.push_back("cycle " + std::to_string(bench_.cycles()) + ": " + what);
}

void PowerScoreboard::sample() {
  const auto& dut = bench_.dut();
  if (!dut.rst_ni) return;
  const auto state = static_cast<State>(dut.state_o);
  if (state != state_before_) trace.push_back(state);
  state_before_ = state;
  expect(state == model.state(), "the state is not that of the model");
  watch_rails();
  watch_order();
  // A register write takes effect in the cycle of its answer. The ports are those of before the edge; the model takes
  // the edge.
  if (dut.reg_valid_i && dut.reg_write_i && dut.reg_ready_o && !dut.reg_error_o)
    follow(dut.reg_addr_i, dut.reg_wdata_i);
  model.step({dut.rail_pgood_i, dut.pll_lock_i != 0, dut.thermtrip_i != 0}, std::abs(world_.pll.frequency - 1) < 1e-9);
}

void PowerScoreboard::follow(std::uint32_t address, std::uint32_t value) {
  const auto ref = firstlight::tern_registers().find(firstlight::tern_registers().name_of(kBase + address));
  if (!ref) return;
  const auto field = [&](const char* name) {
    for (const auto& info : ref.found->reg->fields)
      if (info.name == name) return info.extract(value);
    throw std::logic_error(ref.found->reg->name + " has no field " + name);
  };
  auto& config = model.config;
  const std::string& name = ref.found->reg->name;
  if (name == "ctrl") {
    if (field("start")) model.start();
    if (field("stop")) model.stop();
    if (field("clear_fault")) model.clear_fault();
    config.auto_start = field("auto_start") != 0;
    config.fault_test = field("fault_test") != 0;
  } else if (name == "fault_inject") {
    const auto cause = field("cause");
    if (cause <= 6) model.inject(static_cast<golden::PowerSequencer::Cause>(cause), field("rail"));
  } else if (name == "rails") {
    config.required = field("required");
    config.deglitch = field("deglitch");
    config.lock_deglitch = field("lock_deglitch");
  } else if (name == "pll") {
    config.lock_samples = field("lock_samples");
    config.min_wait = field("min_wait");
  } else if (name == "freq") {
    config.window = field("window");
  } else if (name == "delays") {
    config.release_delay = field("reset_release");
    config.stop_delay = field("stop");
  } else if (name == "timeout_rails") {
    config.timeout_rails = field("value");
  } else if (name == "timeout_lock") {
    config.timeout_lock = field("value");
  }
}

void PowerScoreboard::watch_rails() {
  const auto& dut = bench_.dut();
  expect(dut.rail_good_o == model.good(), "the deglitched rails are not those of the model");
  const unsigned required = model.config.required;
  bad_rail_cycles_ = (dut.rail_good_o & required) == required ? 0 : bad_rail_cycles_ + 1;
  expect(bad_rail_cycles_ < 3 || !dut.core_rst_no, "the core runs on a bad rail");
  for (unsigned rail = 0; rail < bad_pin_cycles_.size(); ++rail) {
    auto& cycles = bad_pin_cycles_.at(rail);
    cycles = ((dut.rail_pgood_i | ~required) >> rail) & 1U ? 0 : cycles + 1;
    expect(cycles < std::max(1U, model.config.deglitch) + 4 || !dut.core_rst_no,
           "a brown-out took too long to be seen");
  }
}

void PowerScoreboard::watch_order() {
  const auto& dut = bench_.dut();
  const bool core = dut.core_rst_no;
  const bool pll = dut.pll_en_o;
  trip_cycles_ = dut.thermtrip_i ? trip_cycles_ + 1 : 0;
  expect(pll || !core, "the core runs without the PLL");
  expect(!pll || !pll_ran_ || dut.pll_mult_o == mult_before_, "the multiplier changed while the PLL ran");
  expect((dut.fault_no == 0) == (dut.state_o == static_cast<unsigned>(State::Fault)), "the fault pin is not the state");
  expect(dut.fault_no || (!core && !pll), "something runs in a fault");
  if (pll && !pll_ran_) expect(bad_rail_cycles_ <= 1, "the PLL started with a bad rail");
  if (core && !core_ran_) {
    expect(bad_rail_cycles_ <= 1, "the core reset was released with a bad rail");
    expect(longest_lock_ >= model.config.lock_samples, "the core reset was released without a steady lock");
    expect(unlocked_cycles_ < model.config.lock_deglitch + 4, "the core reset was released after the lock was lost");
    expect(std::abs(world_.pll.frequency - 1) < 0.02, "the core reset was released at a wrong frequency");
    expect(trip_cycles_ <= 1, "the core reset was released in a thermal trip");
  }
  locked_cycles_ = dut.pll_lock_i ? locked_cycles_ + 1 : 0;
  unlocked_cycles_ = dut.pll_lock_i ? 0 : unlocked_cycles_ + 1;
  longest_lock_ = pll ? std::max(longest_lock_, locked_cycles_) : 0;
  mult_before_ = dut.pll_mult_o;
  core_ran_ = core;
  pll_ran_ = pll;
}

}  // namespace tb::blocks::power
