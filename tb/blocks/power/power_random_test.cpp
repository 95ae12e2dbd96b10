#include <gtest/gtest.h>

#include "tb/blocks/dice.h"
#include "tb/blocks/power/power_bench.h"

namespace tb::blocks::power {
namespace {

using golden::PowerSequencer;
using Cause = PowerSequencer::Cause;
using State = PowerSequencer::State;

class PowerRandom : public testing::Test {
 protected:
  PowerSequencer::Config draw_configuration() {
    PowerSequencer::Config config;
    config.required = dice.one_in(3) ? dice.below(32) : 0x1f;
    config.deglitch = dice.below(10);
    config.lock_deglitch = config.deglitch + 4 + dice.below(10);
    config.lock_samples = 1 + dice.below(20);
    config.min_wait = dice.below(150);
    config.window = 32 + dice.below(100);
    config.timeout_rails = dice.coin() ? 0 : 1500 + dice.below(2000);
    config.timeout_lock = dice.coin() ? 0 : 500 + dice.below(1000);
    config.release_delay = dice.below(100);
    config.stop_delay = dice.below(100);
    config.fault_test = dice.coin();
    return config;
  }

  void draw_pll() {
    auto& pll = bench().world.pll;
    pll.lock_delay = dice.below(200);
    pll.locks = !dice.one_in(10);
    pll.chatter = dice.one_in(3) ? dice.below(200) : 0;
    const double frequencies[] = {0.5, 0.8, 1.25, 2.0, 0.0};
    pll.frequency = dice.one_in(5) ? frequencies[dice.below(5)] : 1.0;
  }

  void event() {
    auto& world = bench().world;
    switch (dice.below(14)) {
      case 0:
      case 1:
        world.rails = 0x1f;
        break;
      case 2:
        world.rails ^= 1U << dice.below(5);
        break;
      case 3:
        world.rails &= dice.below(32);
        break;
      case 4:
        world.glitch_rails(dice.below(32), 1 + dice.below(12));
        break;
      case 5:
        world.glitch_lock(1 + dice.below(40));
        break;
      case 6:
        world.thermtrip = !world.thermtrip && dice.one_in(2);
        break;
      case 7:
        bench().stop();
        break;
      case 8:
        bench().inject(static_cast<Cause>(1 + dice.below(6)), dice.below(8));
        break;
      case 9:
        bench().clear_fault();
        break;
      case 10:
        world.rails &= ~(1U << dice.below(5));
        world.pll.lock_lost = true;
        bench().clock.cycle(1 + dice.below(60));
        world.pll.lock_lost = false;
        break;
      default:
        bench().start();
    }
  }

  Dice dice{seed()};
};

TEST_F(PowerRandom, AgreesWithTheModel) {
  unsigned runs = 0;
  unsigned faults = 0;
  for (int round = 0; round < 400; ++round) {
    bench().begin();
    bench().configure(draw_configuration());
    draw_pll();
    if (dice.coin()) {
      bench().world.rails = 0x1f;
      bench().start();
    }
    const int events = dice.between(5, 30);
    for (int i = 0; i < events; ++i) {
      bench().clock.cycle(1 + dice.below(dice.one_in(3) ? 500 : 60));
      event();
    }
    bench().clock.cycle(150);
    ASSERT_EQ(bench().differences(), "") << "round " << round;
    for (const State state : bench().board.trace) {
      runs += state == State::Run;
      faults += state == State::Fault;
    }
  }
  EXPECT_GT(runs, 50U);
  EXPECT_GT(faults, 50U);
  std::cout << runs << " times in run, " << faults << " faults\n";
}

}  // namespace
}  // namespace tb::blocks::power
