#include "tb/board/load_response.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/unit/board/table.h"

namespace tb::board::testing {
namespace {

constexpr ResponseParameters kCoreRail{12e-12, 4.8e-6, 4e-3};
constexpr double kScale = 5000;
constexpr double kBulk = 100e-6;  // F
constexpr double kSource = 0.85;
constexpr double kLine = 0.3e-3;
constexpr double kStep = 38.75;  // S: the array at work
constexpr std::size_t kSramRail = 2;
constexpr std::int64_t kCycle = 5'000'000;

struct Circuit {
  double v = kSource;
  double branch = 0;  // A, through the inductance
};

/// The circuit itself, integrated in steps of a thousandth of a cycle: the source behind load line and inductance, the
/// capacitors, the bulk behind its resistance, and a load that draws current.
class Integrated {
 public:
  explicit Integrated(double base) : load_(current(base)) {
    circuit_ = {kSource / (1 + kLine * base), load_};
    bulk_ = circuit_.v;
  }
  void step_to(double siemens) {
    load_ += (siemens - siemens_) * circuit_.v;
    siemens_ = siemens;
  }
  double advance(double cycles) {
    const double dt = 1e-12;
    for (double t = 0; t < cycles * 1e-9; t += dt) {
      const double damped = (bulk_ - circuit_.v) / kCoreRail.damping;
      circuit_.branch += dt * (kSource - kLine * circuit_.branch - circuit_.v) / kCoreRail.henry;
      circuit_.v += dt * (circuit_.branch + damped - load_) / kCoreRail.farad;
      bulk_ -= dt * damped / kBulk;
    }
    return circuit_.v;
  }

 private:
  static double current(double siemens) { return siemens * kSource / (1 + kLine * siemens); }
  Circuit circuit_;
  double load_;
  double siemens_ = 0;
  double bulk_ = 0;
};

struct Steps : ::testing::Test {
  LoadResponse response{kCoreRail, kScale};
  void SetUp() override { response.operate(0, {kSource, kLine, 0}); }
  double lowest_after(const std::vector<LoadStep>& steps) {
    LoadResponse own{kCoreRail, kScale};
    own.operate(0, {kSource, kLine, 0});
    own.follow(0, steps);
    return own.take_extremes(2000 * kCycle)->lowest;
  }
};

TEST_F(Steps, RestIsTheLoadLine) {
  response.follow(0, {{10 * kCycle, kStep}});
  EXPECT_DOUBLE_EQ(response.at(9 * kCycle), kSource);
  EXPECT_NEAR(response.at(10 * kCycle), kSource, 1e-12) << "a voltage across capacitors does not jump";
  EXPECT_NEAR(response.at(3000 * kCycle), kSource / (1 + kLine * kStep), 1e-9);
}

TEST_F(Steps, FollowsTheCircuit) {
  Integrated circuit(0);
  response.follow(0, {{0, kStep}, {60 * kCycle, kStep / 2}, {90 * kCycle, kStep}});
  circuit.step_to(kStep);
  for (int cycle = 1; cycle <= 200; ++cycle) {
    const double v = circuit.advance(1);
    if (cycle == 60) circuit.step_to(kStep / 2);
    if (cycle == 90) circuit.step_to(kStep);
    EXPECT_NEAR(response.at(cycle * kCycle), v, 0.8e-3) << cycle << ": 2 % of the deepest droop";
  }
}

TEST_F(Steps, UndershootsAndComesBackOverTheLine) {
  response.follow(0, {{0, kStep}});
  const auto reached = response.take_extremes(3000 * kCycle);
  ASSERT_TRUE(reached);
  const double rest = kSource / (1 + kLine * kStep);
  EXPECT_NEAR(rest - reached->lowest, 0.031, 0.003);
  EXPECT_LT(reached->lowest, rest);
  EXPECT_NEAR(reached->highest - rest, 0.40 * (rest - reached->lowest), 0.003) << "it swings";
}

TEST_F(Steps, TwoHalvesDroopLessThanOneWhole) {
  const double whole = kSource - lowest_after({{0, kStep}});
  const double ramped = kSource - lowest_after({{0, kStep / 2}, {16 * kCycle, kStep}});
  const double slow = kSource - lowest_after({{0, kStep / 2}, {400 * kCycle, kStep}});
  EXPECT_NEAR(whole, 0.041, 0.004);
  EXPECT_LT(ramped, 0.7 * whole);
  EXPECT_LT(slow, 0.7 * whole);
}

TEST_F(Steps, SwingsUpWhenItsOwnPeriodIsPlayed) {
  std::vector<LoadStep> beat;
  for (int i = 0; i < 20; ++i) beat.push_back({i * 24 * kCycle, i % 2 == 0 ? kStep : 0});
  EXPECT_GT(kSource - lowest_after(beat), 1.3 * (kSource - lowest_after({{0, kStep}})));
}

TEST_F(Steps, FewerCapacitorsDroopMore) {
  LoadResponse bare{kCoreRail, kScale};
  bare.operate(0, {kSource, kLine, 0});
  bare.set_decoupling(0, 0.3);
  bare.follow(0, {{0, kStep}});
  const double droop = kSource - bare.take_extremes(2000 * kCycle)->lowest;
  EXPECT_GT(droop, 1.7 * (kSource - lowest_after({{0, kStep}})));
  EXPECT_NEAR(bare.at(5000 * kCycle), kSource / (1 + kLine * kStep), 1e-9) << "the load line is as it was";
}

TEST_F(Steps, ExtremesAndCrossingsAgreeWithManySamples) {
  constexpr unsigned kSeed = 20261;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const auto dice = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random()) % below; };
  const std::vector<double> levels{0.84, 0.82, 0.8};
  std::int64_t now = 0;
  double last = response.at(0);
  for (int round = 0; round < 200; ++round) {
    std::vector<LoadStep> steps;
    std::int64_t at = now;
    for (std::uint32_t i = dice(20); i > 0; --i) steps.push_back({at += dice(40) * kCycle, dice(2) * kStep});
    response.follow(now, steps);
    const std::int64_t until = at + dice(100) * kCycle;
    // By samples of a tenth of a cycle.
    Extremes sampled{last, last};
    for (std::int64_t t = now; t <= until; t += kCycle / 10) {
      const double v = response.at(t);
      sampled = {std::min(sampled.lowest, v), std::max(sampled.highest, v)};
    }
    // By crossings, each on the other side of the one before it.
    for (auto next = response.next_crossing(now, levels); next && *next < until;
         next = response.next_crossing(*next, levels)) {
      const double before = response.at(*next - 1);
      const double after = response.at(*next);
      EXPECT_TRUE(
          std::any_of(levels.begin(), levels.end(), [&](double level) { return (before < level) != (after < level); }))
          << before << " " << after;
    }
    const auto reached = response.take_extremes(until);
    if (until > now) {
      ASSERT_TRUE(reached);
      EXPECT_LE(reached->lowest, sampled.lowest + 1e-12);
      EXPECT_GE(reached->lowest, sampled.lowest - 2e-5);
      EXPECT_GE(reached->highest, sampled.highest - 1e-12);
      EXPECT_LE(reached->highest, sampled.highest + 2e-5);
    }
    now = until;
    last = response.at(now);
  }
}

TEST_F(Steps, EveryCrossingIsFound) {
  response.follow(0, {{0, kStep}, {300 * kCycle, 0}});
  const std::vector<double> levels{0.83};
  int crossings = 0;
  bool below = false;
  int sampled = 0;
  for (std::int64_t t = 0; t < 1000 * kCycle; t += kCycle / 20) {
    const bool now = response.at(t) < levels[0];
    sampled += now != below ? 1 : 0;
    below = now;
  }
  for (auto next = response.next_crossing(0, levels); next; next = response.next_crossing(*next, levels)) ++crossings;
  EXPECT_EQ(crossings, sampled);
  EXPECT_GE(crossings, 2);
}

// ---- on the board

struct Busy {
  Busy() {
    table.power_up();
    table.start_pll();
    pass(0.2);
  }
  void clear() { table.write(kCore, 0xe3, {}); }
  double lowest() { return table.read_word(kCore, 0xfb) / 4096.0; }
  double highest() { return table.read_word(kCore, 0xdd) / 4096.0; }
  void burst(const std::vector<std::pair<double, double>>& course) {
    std::vector<ActivityStep> steps;
    for (const auto& [cycles, activity] : course) {
      ActivityStep step;
      step.after = sc_core::sc_time(cycles * 5e-6, sc_core::SC_SEC);
      step.activity = {activity, 0, 0, 0};
      steps.push_back(step);
    }
    table->follow(steps);
    pass(20e-3);
  }
  Table table;
};

TEST(Droop, TheRegulatorCatchesWhatTheMeterDoesNotSee) {
  Busy busy;
  const double idle = busy.table.volts(kCore);
  busy.clear();
  EXPECT_NEAR(busy.lowest(), idle, 1e-3);
  busy.burst({{0, 2}, {200, 0}});
  EXPECT_NEAR(idle - busy.lowest(), 0.041, 0.005);
  EXPECT_NEAR(busy.highest() - idle, 0.031, 0.005) << "the way back overshoots";
  EXPECT_NEAR(busy.table.volts(kCore), idle, 1e-3);
  EXPECT_EQ(busy.table.read_word(kCore, 0x79), 0) << "no warning on a healthy board";
  busy.clear();
  EXPECT_NEAR(busy.lowest(), idle, 1e-3);
}

TEST(Droop, ARampHalvesIt) {
  Busy busy;
  const double idle = busy.table.volts(kCore);
  busy.clear();
  busy.burst({{0, 1}, {16, 2}, {200, 0}});
  EXPECT_LT(idle - busy.lowest(), 0.7 * 0.041);
}

TEST(Droop, OtherRailsDoNotSeeIt) {
  Busy busy;
  busy.table.write(kSramRail, 0xe3, {});
  const double before = busy.table.read_word(kSramRail, 0xfb) / 4096.0;
  busy.burst({{0, 2}});
  EXPECT_NEAR(busy.table.read_word(kSramRail, 0xfb) / 4096.0, before, 0.5e-3);
}

TEST(Droop, FarEnoughDownItIsABrownOutThatTheChipCanSee) {
  Busy busy;
  BoardFaults faults;
  faults.rails[kCore].decoupling = 0.1;
  busy.table->set_faults(faults);
  pass(50e-3);  // the PLL locks anew
  double fell = 0;
  double rose = 0;
  busy.table->on_pins([&](const BoardPins& pins) {
    const double now = sc_core::sc_time_stamp().to_seconds();
    if (!pins.power_good[kCore] && fell == 0) fell = now;
    if (pins.power_good[kCore] && fell > 0 && rose == 0) rose = now;
  });
  const double begin = sc_core::sc_time_stamp().to_seconds();
  busy.burst({{0, 2}});
  EXPECT_GT(fell, begin);
  EXPECT_LT(fell, begin + 30 * 5e-6) << "within tens of cycles";
  EXPECT_GT(rose - fell, 0.99e-3) << "longer than the chip's filter";
  EXPECT_NE(busy.table.read_word(kCore, 0x79) & 0x8000, 0) << "the warning is latched";
  busy.table->on_pins(nullptr);
}

TEST(Droop, AThrottledClockGivesTheVoltageBack) {
  Busy busy;
  busy.burst({{0, 2}});
  const double full = busy.table.volts(kCore);
  busy.clear();
  busy.table.chip.throttle = true;
  busy.table->drive(busy.table.chip);
  pass(20e-3);
  EXPECT_GT(busy.highest(), full + 0.010);
  EXPECT_GT(busy.lowest(), full - 0.44 * 0.036) << "nothing but the swing back";
}

TEST(Droop, NothingChangesNothingIsSpent) {
  Busy busy;
  busy.burst({{0, 0.3}});
  pass(5);
  const std::uint64_t before = busy.table->agenda().calls();
  pass(10);
  EXPECT_LT(busy.table->agenda().calls() - before, 1500U);
}

}  // namespace
}  // namespace tb::board::testing
