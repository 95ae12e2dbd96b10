#include "tb/board/rail.h"

#include <gtest/gtest.h>

#include "tests/unit/board/table.h"

namespace tb::board::testing {
namespace {

using firstlight::Voltage;
using firstlight::VoltageSlew;

const sc_core::sc_time kMs{1, sc_core::SC_MS};
const sc_core::sc_time kNone = sc_core::SC_ZERO_TIME;

struct RailTest : ::testing::Test {
  static constexpr double kFarad = 1e-3;
  static constexpr double kLine = 1e-3;
  static constexpr double kBleeder = 10;
  double v() { return rail.voltage().base(); }
  Rail rail{agenda(), {"r", Voltage(1), {kFarad}, Resistance(kLine), Resistance(kBleeder)}};
};

TEST_F(RailTest, RampsInAStraightLine) {
  rail.turn_on(Voltage(1), kMs, 4 * kMs);
  for (int tenth = 0; tenth <= 60; ++tenth) {
    const double t = tenth * 0.1e-3;
    EXPECT_NEAR(v(), std::clamp((t - 1e-3) / 4e-3, 0.0, 1.0), 1e-6) << t;
    pass(0.1e-3);
  }
  EXPECT_TRUE(rail.settled());
}

TEST_F(RailTest, SagsUnderLoadByItsLoadLine) {
  rail.turn_on(Voltage(1), kNone, kMs);
  pass(2e-3);
  rail.set_load({20});
  EXPECT_NEAR(v(), 1 / (1 + kLine * 20), 1e-12);
  EXPECT_NEAR(rail.current().base(), v() * 20, 1e-12);
}

TEST_F(RailTest, DischargesThroughLoadAndBleeder) {
  rail.set_load({0.4});
  rail.turn_on(Voltage(1), kNone, kMs);
  pass(2e-3);
  const double start = v();
  rail.turn_off(kNone, kNone);
  EXPECT_FALSE(rail.driving());
  const double tau = kFarad / (0.4 + 1 / kBleeder);
  for (int i = 1; i <= 5; ++i) {
    pass(tau / 2);
    EXPECT_NEAR(v(), start * std::exp(-i * 0.5), 1e-6);
  }
  // A heavier load takes it down faster from where it is.
  const double here = v();
  rail.set_load({4});
  pass(1e-4);
  EXPECT_NEAR(v(), here * std::exp(-1e-4 / (kFarad / 4.1)), 1e-6);
}

TEST_F(RailTest, SoftOffRampsDownAndThenLetsGo) {
  rail.turn_on(Voltage(1), kNone, kMs);
  pass(2e-3);
  rail.turn_off(kMs, 2 * kMs);
  pass(2e-3);
  EXPECT_NEAR(v(), 0.5, 1e-6);
  EXPECT_TRUE(rail.driving());
  pass(1.1e-3);
  EXPECT_FALSE(rail.driving());
  EXPECT_NEAR(v(), 0, 1e-6);
}

TEST_F(RailTest, MovesAtItsSlew) {
  rail.turn_on(Voltage(1), kNone, kMs);
  pass(2e-3);
  rail.move_to(Voltage(0.9), VoltageSlew(100));
  pass(0.5e-3);
  EXPECT_NEAR(v(), 0.95, 1e-6);
  EXPECT_FALSE(rail.settled());
  pass(1e-3);
  EXPECT_NEAR(v(), 0.9, 1e-9);
  EXPECT_TRUE(rail.settled());
}

TEST_F(RailTest, StartsFromWhatIsLeft) {
  rail.turn_on(Voltage(1), kNone, kMs);
  pass(2e-3);
  rail.turn_off(kNone, kNone);
  pass(5e-3);  // half a time constant
  const double left = v();
  rail.turn_on(Voltage(1), kNone, 10 * kMs);
  pass(1e-3);
  EXPECT_NEAR(v(), left * std::exp(-1e-3 / (kFarad * kBleeder)), 1e-6) << "the ramp has not reached the rest yet";
  pass(8e-3);
  EXPECT_NEAR(v(), 0.9, 1e-6);
}

TEST_F(RailTest, CallsAtEveryCrossing) {
  std::vector<double> seen;
  rail.watch({Voltage(0.9), Voltage(0.3)});
  rail.on_event([&] { seen.push_back(v()); });
  rail.turn_on(Voltage(1), kNone, kMs);
  pass(2e-3);
  rail.turn_off(kNone, kNone);
  pass(0.1);
  // The command, start, 0.3, 0.9 and end of the ramp; the command, 0.9 and 0.3 on the way down.
  const std::vector<double> expected{0, 0, 0.3, 0.9, 1, 1, 0.9, 0.3};
  ASSERT_EQ(seen.size(), expected.size());
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_NEAR(seen[i], expected[i], 2e-6) << i;
}

TEST_F(RailTest, CrossingsMoveWithTheLoad) {
  sc_core::sc_time at;
  rail.watch({Voltage(0.5)});
  rail.turn_on(Voltage(1), kNone, 10 * kMs);
  const sc_core::sc_time start = sc_core::sc_time_stamp();
  pass(1e-3);
  rail.set_load({100});
  rail.on_event([&] {
    if (v() >= 0.5 && at == kNone) at = sc_core::sc_time_stamp();
  });
  pass(20e-3);
  EXPECT_NEAR((at - start).to_seconds(), 10e-3 * 0.5 * (1 + kLine * 100), 1e-8);
}

TEST_F(RailTest, AtRestItCostsNothing) {
  rail.watch({Voltage(0.9)});
  rail.turn_on(Voltage(1), kNone, kMs);
  pass(2e-3);
  const std::uint64_t before = agenda().calls();
  pass(100);
  EXPECT_EQ(agenda().calls(), before);
}

TEST_F(RailTest, Faults) {
  RailFaults faults;
  faults.backfeed = Voltage(0.3);
  rail.set_faults(faults);
  EXPECT_NEAR(v(), 0.3, 1e-12);

  faults = {};
  faults.rise_scale = 4;
  rail.set_faults(faults);
  rail.turn_on(Voltage(1), kNone, kMs);
  pass(2e-3);
  EXPECT_NEAR(v(), 0.5, 1e-6);
  pass(3e-3);

  faults = {};
  faults.output_scale = 0.94;
  rail.set_faults(faults);
  EXPECT_NEAR(v(), 0.94, 1e-12);

  faults = {};
  faults.load_line_scale = 6;
  rail.set_faults(faults);
  rail.set_load({20});
  EXPECT_NEAR(v(), 1 / (1 + 6 * kLine * 20), 1e-12);

  faults = {};
  faults.ignore_off = true;
  rail.set_faults(faults);
  rail.turn_off(kNone, kNone);
  EXPECT_TRUE(rail.driving());
  rail.cut();
  EXPECT_FALSE(rail.driving());
}

TEST_F(RailTest, ADisturbanceEnds) {
  rail.turn_on(Voltage(1), kNone, kMs);
  pass(2e-3);
  rail.disturb(0.84);
  EXPECT_NEAR(v(), 0.84, 1e-12);
  rail.disturb(1);
  EXPECT_NEAR(v(), 1, 1e-12);
}

// What a witness saw is compared with a look every microsecond.
TEST_F(RailTest, RemembersItsHighestVoltageExactly) {
  double seen = 0;
  const auto look = [&](double seconds) {
    for (int i = 0; i < seconds * 1e6; ++i) {
      pass(1e-6);
      seen = std::max(seen, v());
    }
  };
  rail.set_load({30});
  rail.turn_on(Voltage(1), kNone, kMs);
  look(2e-3);
  EXPECT_NEAR(rail.highest().base(), seen, 1e-9);
  rail.set_load({5});  // the load line lets it rise
  look(1e-5);
  EXPECT_NEAR(rail.highest().base(), 1 / (1 + 5 * kLine), 1e-9);
  rail.move_to(Voltage(1.2), VoltageSlew(1000));
  look(0.1e-3);
  rail.move_to(Voltage(0.8), VoltageSlew(1000));  // turned round on its way up
  look(1e-3);
  EXPECT_NEAR(rail.highest().base(), seen, 2e-6);
  EXPECT_LT(rail.highest().base(), 1.11);
  RailFaults high;
  high.output_scale = 1.5;  // a spike that nobody looks at while it is there
  rail.set_faults(high);
  rail.set_faults({});
  EXPECT_NEAR(rail.highest().base(), v() * 1.5, 1e-9);
  rail.forget_highest();
  EXPECT_NEAR(rail.highest().base(), v(), 1e-9);
}

TEST_F(RailTest, KnowsSinceWhenItIsOff) {
  rail.witness(Voltage(0.1));
  EXPECT_TRUE(rail.below_since());
  rail.set_load({1});
  rail.turn_on(Voltage(1), kNone, kMs);
  pass(0.2e-3);
  EXPECT_FALSE(rail.below_since());
  pass(1e-3);
  rail.turn_off(kNone, kMs);
  const double off = sc_core::sc_time_stamp().to_seconds();
  pass(5e-3);
  ASSERT_TRUE(rail.below_since());
  EXPECT_NEAR(rail.below_since()->to_seconds() - off, 0.9e-3, 2e-6);

  rail.turn_on(Voltage(1), kNone, kMs);
  pass(2e-3);
  rail.cut();
  const double cut = sc_core::sc_time_stamp().to_seconds();
  const double tau = kFarad / (1 + 1 / kBleeder);
  pass(3 * tau);
  ASSERT_TRUE(rail.below_since());
  EXPECT_NEAR(rail.below_since()->to_seconds() - cut, tau * std::log(1 / (1 + kLine) / 0.1), 2e-6);
}

}  // namespace
}  // namespace tb::board::testing
