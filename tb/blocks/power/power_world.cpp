#include "tb/blocks/power/power_world.h"

namespace tb::blocks::power {

PowerWorld::PowerWorld(BlockBench<Vpower_dut>& bench) : bench_(bench) { bench.add(*this); }

void PowerWorld::glitch_rails(unsigned which, unsigned cycles) {
  glitched_rails_ = which;
  glitch_left_ = cycles;
}

void PowerWorld::glitch_lock(unsigned cycles) { lock_glitch_left_ = cycles; }

void PowerWorld::reset(std::uint64_t seed) {
  pll = Pll();
  rails = 0;
  thermtrip = false;
  glitch_left_ = lock_glitch_left_ = 0;
  pll_on_ = run_left_ = 0;
  dice_ = Dice(seed);
}

void PowerWorld::sample() { pll_on_ = bench_.dut().pll_en_o ? pll_on_ + 1 : 0; }

bool PowerWorld::lock_now() {
  if (!pll.locks || pll.lock_lost || pll_on_ <= pll.lock_delay) return false;
  if (lock_glitch_left_ > 0) {
    --lock_glitch_left_;
    return false;
  }
  if (pll_on_ > pll.lock_delay + pll.chatter) return true;
  if (run_left_ == 0) {
    run_left_ = 1 + dice_.below(6);
    chatter_level_ = !chatter_level_;
  }
  --run_left_;
  return chatter_level_;
}

void PowerWorld::drive() {
  auto& dut = bench_.dut();
  dut.rail_pgood_i = static_cast<std::uint8_t>(glitch_left_ > 0 ? rails ^ glitched_rails_ : rails);
  if (glitch_left_ > 0) --glitch_left_;
  dut.pll_lock_i = lock_now();
  dut.thermtrip_i = thermtrip;
  run_core_clock();
}

void PowerWorld::run_core_clock() {
  auto& dut = bench_.dut();
  if (!dut.pll_en_o) return;
  for (phase_ += dut.pll_mult_o * pll.frequency; phase_ >= 1; phase_ -= 1) {
    dut.clk_core_i = 1;
    dut.eval();
    dut.clk_core_i = 0;
    dut.eval();
    ++core_cycles_;
  }
}

}  // namespace tb::blocks::power
