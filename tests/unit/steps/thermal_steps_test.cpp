#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/capabilities/lines.h"
#include "tests/unit/steps/fake_rail.h"
#include "tests/unit/steps/fake_step.h"
#include "tests/unit/steps/fake_thermal.h"

namespace firstlight {
namespace {

using test::FakeRail;
using test::FakeStep;
using test::FakeThermal;
using test::FakeTime;
using testing::HasSubstr;

/// The trip pin: a read costs 100 us, and what the board does with it happens meanwhile.
class FakePin final : public Lines {
 public:
  FakePin(FakeTime& time, FakeThermal& thermal, std::vector<FakeRail*>& rails)
      : time_(time), thermal_(thermal), rails_(rails) {}
  bool wired = true;
  std::string part(const std::string& line) const override { return "lines line " + line; }
  std::vector<std::string> names() const override { return {"thermtrip_n"}; }
  bool level(const std::string&) override {
    time_.pass(Duration{100'000'000});
    const bool active = thermal_.trip_pin();
    if (active && wired)
      for (FakeRail* rail : rails_)
        if (rail->commanded) rail->disable();
    return !active;
  }
  void drive(const std::string&, bool) override {}

 private:
  FakeTime& time_;
  FakeThermal& thermal_;
  std::vector<FakeRail*>& rails_;
};

class ThermalSteps : public testing::Test {
 protected:
  ThermalSteps() : bench(make_plan(), time), thermal(time), pin(time, thermal, rails) {
    for (const RailPlan& plan : bench.plan().rails) {
      auto rail = std::make_unique<FakeRail>(time, plan);
      rails.push_back(rail.get());
      bench.add({"dmm." + plan.name, Dimension::voltage, {}, "dmm channel", [raw = rail.get()] {
                   return Quantity{
                       raw->real().base() - 0.002 * (raw->load_of() - Current(10)).base() * (raw->commanded ? 1 : 0),
                       Dimension::voltage};
                 }});
      bench.add(std::move(rail));
    }
    for (FakeRail* rail : rails) {
      rail->set_voltage(rail->plan().nominal);
      rail->enable();
    }
    time.pass(from_seconds(1));
    bench.offer<ChipThermal>("tern", thermal);
    bench.offer<Lines>("lines", pin);
  }
  static BenchPlan make_plan() {
    BenchPlan plan;
    for (const char* name : {"vdd_core", "vdd_sram", "vdd_hbm", "vdd_serdes"}) {
      RailPlan rail;
      rail.name = name;
      rail.nominal = Voltage(1);
      rail.max = Voltage(1.1);
      rail.tolerance = Ratio(0.03);
      rail.sense = std::string("dmm.") + name;
      plan.rails.push_back(rail);
    }
    return plan;
  }
  std::optional<Failure> run_trip() {
    FakeStep step(bench, "thermal.trip_test");
    step.set("zone", std::string("core"))
        .set("pin", std::string("lines.thermtrip_n"))
        .list("rails", {"vdd_core", "vdd_sram"});
    const auto failure = step.run();
    live = step.ledger.size();
    return failure;
  }

  FakeTime time;
  Bench bench;
  FakeThermal thermal;
  std::vector<FakeRail*> rails;
  FakePin pin;
  std::size_t live = 0;
};

TEST_F(ThermalSteps, SoakEndsWhenTheDieStandsStill) {
  for (const std::string& zone : thermal.zones()) thermal.set_heater(zone, 8);
  FakeStep soak(bench, "thermal.soak");
  EXPECT_FALSE(soak.run());
  EXPECT_GT(soak.measured_as("time")->value.value, 0.5);
  EXPECT_LT(soak.measured_as("time")->value.value, 2.5);
  EXPECT_NEAR(soak.measured_as("")->value.value, 37.2, 0.3);
}

TEST_F(ThermalSteps, SoakNamesTheZoneThatDoesNotSettle) {
  thermal.zone("hbm").drift = 2;
  FakeStep soak(bench, "thermal.soak");
  const auto failure = soak.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "thermal_not_settled");
  EXPECT_EQ(failure->part, "tern zone hbm");
}

TEST_F(ThermalSteps, ResistanceIsRiseByPower) {
  thermal.zone("serdes").resistance = 1.0;
  for (FakeRail* rail : rails)
    rail->load_of = [this, rail] { return Current(10 + thermal.zone(rail->plan().name.substr(4)).level); };
  for (const char* zone : {"core", "serdes"}) {
    FakeStep step(bench, "thermal.resistance");
    step.set("zone", std::string(zone));
    const auto failure = step.run();
    ASSERT_FALSE(failure) << failure->message;
    EXPECT_NEAR(step.measured_as("power")->value.value, 8, 0.01);
    EXPECT_NEAR(step.measured_as("")->value.value, thermal.zone(zone).resistance, 0.05) << zone;
    EXPECT_NEAR(step.measured_as("load_line")->value.value, 2e-3, 1e-6);
    EXPECT_EQ(thermal.zone(zone).level, 0);
    EXPECT_TRUE(step.ledger.empty());
  }
}

TEST_F(ThermalSteps, ResistanceNeedsPower) {
  FakeStep step(bench, "thermal.resistance");
  step.set("zone", std::string("core"));
  const auto failure = step.run();  // the rail's current does not follow the heater here
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "heater_no_power");
  EXPECT_EQ(thermal.zone("core").level, 0) << "the heater must be off again";
}

TEST_F(ThermalSteps, SensorCheckPassesOnHealthySensors) {
  FakeStep step(bench, "thermal.sensor_check");
  const auto failure = step.run();
  EXPECT_FALSE(failure) << failure->message;
  EXPECT_EQ(thermal.heat_calls.size(), 4U);
  EXPECT_TRUE(step.ledger.empty());
}

TEST_F(ThermalSteps, SensorCheckFindsAStuckSensor) {
  thermal.zone("core").stuck = true;
  const auto failure = FakeStep(bench, "thermal.sensor_check").run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "sensor_stuck");
  EXPECT_EQ(failure->part, "tern zone core");
}

TEST_F(ThermalSteps, SensorCheckFindsASentinel) {
  thermal.zone("hbm").fault = "sentinel";
  const auto failure = FakeStep(bench, "thermal.sensor_check").run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "sensor_fault");
  EXPECT_THAT(failure->message, HasSubstr("sentinel"));
  EXPECT_TRUE(thermal.heat_calls.empty()) << "no heater without a sensor";
}

TEST_F(ThermalSteps, SensorCheckFindsAHeaterThatIsHeldOff) {
  thermal.heater_refused = true;
  EXPECT_EQ(FakeStep(bench, "thermal.sensor_check").run()->symptom, "heater_refused");
}

TEST_F(ThermalSteps, TripActsAndEverythingIsRestored) {
  const auto failure = run_trip();
  EXPECT_FALSE(failure) << failure->message;
  EXPECT_EQ(thermal.zone("core").trip, Temperature(110));
  EXPECT_FALSE(thermal.trip_latch().latched);
  EXPECT_FALSE(rails[0]->commanded);
  EXPECT_FALSE(rails[1]->commanded);
  EXPECT_EQ(live, 0U);
}

TEST_F(ThermalSteps, TripThatIsNotWiredIsFound) {
  pin.wired = false;
  const auto failure = run_trip();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "trip_not_wired");
  EXPECT_THAT(failure->message, HasSubstr("vdd_core, vdd_sram stayed on"));
  EXPECT_THAT(failure->part, HasSubstr("thermtrip_n"));
  EXPECT_EQ(thermal.zone("core").trip, Temperature(110)) << "the threshold must be back";
}

TEST_F(ThermalSteps, RailThatDoesNotFollowTheTripIsBlamed) {
  rails[1]->disable_lost = true;
  const auto failure = run_trip();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "rail_will_not_turn_off");
  EXPECT_THAT(failure->part, HasSubstr("vdd_sram"));
}

TEST_F(ThermalSteps, TripPinThatIsSilentIsFound) {
  thermal.pin_works = false;
  const auto failure = run_trip();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "trip_pin_silent");
  EXPECT_EQ(failure->likely_cause, "the pin is not connected");
  EXPECT_EQ(thermal.zone("core").trip, Temperature(110));
}

TEST_F(ThermalSteps, TripFilterThatDoesNotWorkIsFound) {
  thermal.filter_works = false;
  EXPECT_THAT(run_trip()->likely_cause, HasSubstr("filter"));
}

TEST_F(ThermalSteps, TripThatCannotBeClearedIsFound) {
  thermal.refuses_clear = true;
  EXPECT_EQ(run_trip()->symptom, "trip_clear_refused");
}

TEST_F(ThermalSteps, TripTestNeedsRailsThatAreOn) {
  rails[1]->disable();
  time.pass(from_seconds(1));
  const auto failure = run_trip();
  EXPECT_EQ(failure->symptom, "rail_is_off");
  EXPECT_EQ(thermal.zone("core").trip, Temperature(110));
}

}  // namespace
}  // namespace firstlight
