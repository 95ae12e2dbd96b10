#include "tb/golden/thermal_zone/thermal_zone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tb/blocks/dice.h"
#include "tb/blocks/thermal/thermal_bench.h"

namespace tb::blocks::thermal {
namespace {

using golden::ThermalZone;

std::string indexed(const char* name, unsigned zone) {
  return std::string("thermal.") + name + "[" + std::to_string(zone) + "]";
}

std::uint32_t code(int eighths) { return static_cast<std::uint32_t>(eighths) & 0xfffU; }

/// All zones against their models, a sample at a time.
class ThermalZones : public testing::Test {
 protected:
  void SetUp() override { bench().start(); }

  void configure() {
    auto& r = bench().registers;
    const auto& c = configs[0];
    r.write("thermal.sample.settle", c.settle);
    r.write("thermal.filter", c.alarm.n | c.alarm.m << 4U | c.trip.n << 8U | c.trip.m << 12U);
    r.write("thermal.hysteresis",
            static_cast<std::uint32_t>(c.alarm.hysteresis) | static_cast<std::uint32_t>(c.trip.hysteresis) << 16U);
    r.write("thermal.plausible", code(c.min) | code(c.max) << 16U);
    for (unsigned s = 0; s < 2; ++s)
      r.write(indexed("sentinel", s), s < c.sentinels.size() ? 0x80000000U | code(c.sentinels[s]) : 0);
    r.write("thermal.policy.bad_samples", c.bad_samples);
    r.write("thermal.policy.stuck_samples", c.stuck_samples);
  }
  void set_limits(unsigned zone, int alarm, int trip) {
    configs.at(zone).alarm.limit = alarm;
    configs.at(zone).trip.limit = trip;
    bench().registers.write(indexed("alarm", zone), code(alarm));
    bench().registers.write(indexed("trip", zone), code(trip));
  }
  void apply(unsigned zone) {
    const auto& in = inputs.at(zone);
    bench().rail(zone, in.rail_good);
    bench().temperature(zone, in.temperature);
    if (injected_now.at(zone) != in.injected) {
      bench().registers.write(indexed("inject", zone), in.injected ? 0x80000000U | code(*in.injected) : 0);
      injected_now.at(zone) = in.injected;
    }
  }

  void step() {
    for (unsigned zone = 0; zone < kZones; ++zone) apply(zone);
    bench().next_sample();
    for (unsigned zone = 0; zone < kZones; ++zone) {
      SCOPED_TRACE(testing::Message() << "zone " << zone);
      outputs.at(zone) = models.at(zone).sample(inputs.at(zone), configs.at(zone));
      check(zone, outputs.at(zone));
    }
    check_pins();
  }

  void check(unsigned zone, const ThermalZone::Output& expected) {
    auto& r = bench().registers;
    const auto state = r.read(indexed("zone", zone));
    const auto bit = [state](unsigned n) { return ((state >> n) & 1U) != 0; };
    ASSERT_EQ(state & 0xfffU, code(expected.raw));
    ASSERT_EQ((state >> 16U) & 0xfffU, code(expected.temperature));
    ASSERT_EQ(bit(12), expected.valid);
    ASSERT_EQ(bit(13), expected.powered);
    ASSERT_EQ(bit(14), expected.fault);
    ASSERT_EQ(bit(15), expected.out_of_range);
    ASSERT_EQ(bit(28), expected.sentinel);
    ASSERT_EQ(bit(29), expected.stuck);
    ASSERT_EQ(bit(30), expected.alarm);
    ASSERT_EQ(bit(31), expected.trip);
    ASSERT_EQ(r.read(indexed("changes", zone)), expected.samples | expected.changes << 16U);
    ASSERT_EQ(r.read(indexed("peak", zone) + ".valid"), expected.peak ? 1U : 0U);
    if (!expected.peak) return;
    ASSERT_EQ(r.read(indexed("peak", zone) + ".temperature"), code(*expected.peak));
  }

  void check_pins() {
    bool alarm = false;
    bool fault = false;
    std::optional<unsigned> hottest;
    for (unsigned z = 0; z < kZones; ++z) {
      alarm |= outputs.at(z).alarm;
      fault |= outputs.at(z).fault;
      tripped |= outputs.at(z).trip_begins;
      if (outputs.at(z).valid && (!hottest || outputs.at(z).temperature > outputs.at(*hottest).temperature))
        hottest = z;
    }
    auto& dut = bench().clock.dut();
    ASSERT_EQ(dut.thermtrip_no != 0, !tripped);
    ASSERT_EQ(dut.alert_no != 0, !(alarm || fault || tripped));
    auto& r = bench().registers;
    ASSERT_EQ(r.read("thermal.hottest.valid"), hottest ? 1U : 0U);
    if (!hottest) return;
    ASSERT_EQ(r.read("thermal.hottest.zone"), *hottest);
    ASSERT_EQ(r.read("thermal.hottest.temperature"), code(outputs.at(*hottest).temperature));
  }

  /// A temperature that lingers around the thresholds, so that hysteresis and debounce have work.
  int wander(unsigned zone) {
    const auto& c = configs.at(zone);
    const int near[] = {c.alarm.limit, c.alarm.limit - c.alarm.hysteresis, c.trip.limit,
                        c.trip.limit - c.trip.hysteresis};
    switch (dice.below(16)) {
      case 0:
        return dice.between(-2048, 2047);
      case 1:
        return c.sentinels.empty() ? c.max : c.sentinels[0];
      case 2:
        return c.min - 1 + dice.between(0, 1);
      case 3:
        return c.max + dice.between(0, 1);
      case 4:
      case 5:
        return inputs.at(zone).temperature;
      default:
        return std::clamp(near[dice.below(4)] + dice.between(-2, 2), -2048, 2047);
    }
  }

  void draw_configuration() {
    ThermalZone::Config c;
    c.settle = dice.below(5);
    c.alarm.n = dice.below(16);
    c.alarm.m = dice.below(16);
    c.trip.n = dice.below(10);
    c.trip.m = dice.below(10);
    c.alarm.hysteresis = dice.one_in(8) ? dice.between(0, 4095) : dice.between(0, 60);
    c.trip.hysteresis = dice.between(0, 100);
    c.min = dice.between(-400, -200);
    c.max = dice.between(1100, 1300);
    c.sentinels.clear();
    for (unsigned i = dice.below(3); i > 0; --i) c.sentinels.push_back(dice.between(-1024, 1400));
    c.bad_samples = dice.below(5);
    c.stuck_samples = dice.coin() ? 0 : dice.below(6);
    configs.fill(c);
    configure();
    for (unsigned z = 0; z < kZones; ++z) {
      const int alarm = dice.between(600, 900);
      set_limits(z, alarm, alarm + dice.between(0, 200));
    }
  }

  Dice dice{seed()};
  std::array<ThermalZone, kZones> models;
  std::array<ThermalZone::Config, kZones> configs;
  std::array<ThermalZone::Input, kZones> inputs;
  std::array<ThermalZone::Output, kZones> outputs;
  std::array<std::optional<int>, kZones> injected_now;
  bool tripped = false;
};

TEST_F(ThermalZones, MatchTheModelsOverRandomTraces) {
  for (int round = 0; round < 40; ++round) {
    bench().start();
    models = {};
    outputs = {};
    inputs = {};
    injected_now = {};
    tripped = false;
    draw_configuration();
    for (int i = 0; i < 100; ++i) {
      const unsigned zone = dice.below(kZones);
      for (unsigned z = 0; z < kZones; ++z) inputs.at(z).temperature = wander(z);
      if (dice.one_in(4)) inputs.at(zone).rail_good = !inputs.at(zone).rail_good || !dice.one_in(3);
      if (dice.one_in(8)) inputs.at(zone).injected = dice.coin() ? std::optional<int>(wander(zone)) : std::nullopt;
      if (dice.one_in(16)) {
        bench().registers.write("thermal.peak_clear", 1U << zone);
        models.at(zone).clear_peak();
      }
      step();
      if (HasFatalFailure()) FAIL() << "round " << round << ", sample " << i;
    }
  }
}

// The values after reset: alarm at 95, trip at 110 degC, 2 of 3, without any software.
TEST_F(ThermalZones, WorkWithoutSoftware) {
  auto& dut = bench().clock.dut();
  dut.rail_good_i = 0x1f;
  for (unsigned z = 0; z < kZones; ++z) bench().temperature(z, degrees(60));
  bench().clock.reset();
  bench().clock.cycle(5 * kPeriod);
  EXPECT_TRUE(dut.alert_no && dut.thermtrip_no && !dut.throttle_o);
  bench().temperature(2, degrees(95));
  bench().clock.cycle(3 * kPeriod);
  EXPECT_TRUE(!dut.alert_no && dut.thermtrip_no && dut.throttle_o);
  bench().temperature(2, degrees(110) - 1);
  bench().clock.cycle(10 * kPeriod);
  EXPECT_TRUE(dut.thermtrip_no);
  bench().temperature(2, degrees(110));
  bench().clock.cycle(3 * kPeriod);
  EXPECT_FALSE(dut.thermtrip_no);
  EXPECT_TRUE(dut.irq_o);
}

TEST_F(ThermalZones, ChatterAroundTheAlarmMakesOneEvent) {
  auto& dut = bench().clock.dut();
  inputs[1].rail_good = true;
  unsigned edges = 0;
  bool before = false;
  for (int i = 0; i < 60; ++i) {
    inputs[1].temperature = degrees(95) + (i % 2 ? -3 : 1);
    step();
    if (HasFatalFailure()) FAIL() << "sample " << i;
    edges += (dut.throttle_o != 0) != before;
    before = dut.throttle_o != 0;
  }
  EXPECT_EQ(edges, 1U);
  EXPECT_EQ(bench().registers.read("thermal.throttle_events"), 1U);
}

TEST_F(ThermalZones, PolicyDecidesWhatAFaultySensorDoes) {
  auto& dut = bench().clock.dut();
  inputs[3].rail_good = true;
  inputs[3].temperature = degrees(-128);
  for (int i = 0; i < 8; ++i) step();
  EXPECT_FALSE(dut.alert_no);
  EXPECT_FALSE(dut.throttle_o);
  EXPECT_EQ(bench().registers.read("thermal.irq_status.sensor_fault"), 8U);
  bench().registers.write("thermal.policy.fault_alerts", 0);
  bench().clock.cycle(2);
  EXPECT_TRUE(dut.alert_no);
  bench().registers.write("thermal.policy.fault_throttles", 1);
  bench().clock.cycle(2);
  EXPECT_TRUE(dut.throttle_o);
  EXPECT_EQ(bench().registers.read("thermal.throttle_reason.sensor"), 1U);
  EXPECT_TRUE(dut.thermtrip_no);
  bench().registers.write("thermal.policy.fault_trips", 1);
  bench().clock.cycle(3);
  EXPECT_FALSE(dut.thermtrip_no);
  EXPECT_EQ(bench().registers.read("thermal.trip_status.sensor_fault"), 1U);
  EXPECT_EQ(bench().registers.read("thermal.trip_status.zone"), 3U);
  EXPECT_EQ(bench().registers.number("thermal.trip_status.temperature"), degrees(-128));
}

}  // namespace
}  // namespace tb::blocks::thermal
