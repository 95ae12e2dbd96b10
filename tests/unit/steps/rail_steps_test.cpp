#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/steps/fake_rail.h"
#include "tests/unit/steps/fake_step.h"

namespace firstlight {
namespace {

using test::FakeRail;
using test::FakeStep;
using test::FakeTime;
using testing::ElementsAre;
using testing::HasSubstr;

class RailSteps : public testing::Test {
 protected:
  RailSteps() : bench(make_plan(), time) {
    for (const RailPlan& plan : bench.plan().rails) {
      auto rail = std::make_unique<FakeRail>(time, plan);
      FakeRail* raw = rail.get();
      raw->calls = &calls;
      (plan.name == "vdd_aon" ? aon : core) = raw;
      bench.add(std::move(rail));
      bench.add({"dmm." + plan.name, Dimension::voltage, {}, "dmm channel", [this, raw] {
                   time.pass(Duration{3'000'000'000});
                   return raw->real().quantity();
                 }});
    }
  }
  static BenchPlan make_plan() {
    BenchPlan plan;
    for (const char* name : {"vdd_aon", "vdd_core"}) {
      RailPlan rail;
      rail.name = name;
      rail.nominal = Voltage(0.85);
      rail.tolerance = Ratio(0.03);
      rail.max = Voltage(0.95);
      rail.sense = std::string("dmm.") + name;
      rail.pgood_line = std::string("lines.pg_") + name;
      rail.slew = VoltageSlew(100);
      plan.rails.push_back(rail);
    }
    plan.rails[1].after = {"vdd_aon"};
    return plan;
  }
  std::optional<Failure> turn_on(const char* rail) { return step(rail, "rail.on").run(); }
  FakeStep step(const char* rail, const char* verb) { return {bench, verb, rail}; }
  std::string symptom(const char* rail) {
    const auto failure = turn_on(rail);
    return failure ? failure->symptom : "none";
  }

  FakeTime time;
  Bench bench;
  FakeRail* aon = nullptr;
  FakeRail* core = nullptr;
  std::vector<std::string> calls;
};

TEST_F(RailSteps, OnPassesOnAHealthyRailAndMeasuresIt) {
  FakeStep on = step("vdd_aon", "rail.on");
  const auto failure = on.run();
  EXPECT_FALSE(failure) << failure->message;
  for (const char* name : {"", "residual", "rise_time", "pgood_time", "overshoot", "sense"})
    EXPECT_NE(on.measured_as(name), nullptr) << name;
  EXPECT_NEAR(on.measured_as("")->value.value, 0.85, 1e-9);
  EXPECT_NEAR(on.measured_as("rise_time")->value.value, 3.6e-3, 0.5e-3);
  EXPECT_GT(on.samples["vdd_aon.voltage"], 10);
  EXPECT_EQ(on.datas.at(0).first, "rail_ramp");
}

TEST_F(RailSteps, OnWritesTheLedgerBeforeItActs) {
  FakeStep on = step("vdd_aon", "rail.on");
  on.run();
  EXPECT_THAT(on.events, ElementsAre("energise rail vdd_aon"));
  EXPECT_THAT(calls, ElementsAre("clear vdd_aon", "set vdd_aon", "enable vdd_aon"));
  on.undo(0);
  EXPECT_FALSE(aon->commanded);
  EXPECT_LE(aon->real().base(), 0.1);
}

TEST_F(RailSteps, OnChecksTheOrder) {
  const auto failure = turn_on("vdd_core");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "rail_order");
  EXPECT_THAT(failure->message, HasSubstr("vdd_core must not be on before vdd_aon"));
  EXPECT_FALSE(core->commanded);
  turn_on("vdd_aon");
  EXPECT_EQ(symptom("vdd_core"), "none");
}

TEST_F(RailSteps, OnFindsResidualVoltage) {
  aon->back_feed = Voltage(0.3);
  aon->telemetry_factor = 0;
  const auto failure = turn_on("vdd_aon");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "rail_residual_voltage");
  EXPECT_THAT(failure->message, HasSubstr("300 mV"));
  EXPECT_FALSE(aon->commanded) << "it must not be turned on";
}

TEST_F(RailSteps, ResidualBlamesTheRailWithoutItsRegulator) {
  EXPECT_FALSE(step("vdd_aon", "rail.residual").run());
  aon->back_feed = Voltage(0.3);
  const auto failure = step("vdd_aon", "rail.residual").run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "rail_residual_voltage");
  EXPECT_THAT(failure->part, HasSubstr("vdd_aon"));
}

TEST_F(RailSteps, OnTellsAPinThatNeverRises) {
  aon->never_good = true;
  const auto failure = turn_on("vdd_aon");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "rail_pgood_timeout");
  EXPECT_THAT(failure->message, HasSubstr("lines.pg_vdd_aon"));
  EXPECT_THAT(failure->part, HasSubstr("vdd_aon"));
}

TEST_F(RailSteps, OnTellsASlowRamp) {
  aon->ramp_factor = 4;
  EXPECT_EQ(symptom("vdd_aon"), "rail_slow_ramp");
}

TEST_F(RailSteps, OnTellsALowOutput) {
  aon->level_factor = 0.94;
  const auto failure = turn_on("vdd_aon");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "rail_out_of_tolerance");
  EXPECT_THAT(failure->message, HasSubstr("settled at 799 mV"));
}

TEST_F(RailSteps, OnTellsAWrongExponent) {
  aon->level_factor = 0.5;
  aon->telemetry_factor = 2;
  EXPECT_EQ(symptom("vdd_aon"), "rail_telemetry_disagrees");
}

TEST_F(RailSteps, OnTellsStuckTelemetry) {
  aon->telemetry_stuck = true;
  const auto failure = turn_on("vdd_aon");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "rail_telemetry_disagrees");
  EXPECT_THAT(failure->likely_cause, HasSubstr("stuck"));
}

TEST_F(RailSteps, OnTellsARegulatorThatCallsNothingGood) {
  aon->never_good = true;
  aon->status_never_good = true;
  EXPECT_EQ(symptom("vdd_aon"), "rail_not_good");
}

TEST_F(RailSteps, OnTellsAShutDown) {
  aon->trips_at_half = true;
  const auto failure = turn_on("vdd_aon");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "rail_shut_down");
  EXPECT_THAT(failure->message, HasSubstr("IOUT_OC_FAULT"));
}

TEST_F(RailSteps, OnRefusesARailThatIsOn) {
  turn_on("vdd_aon");
  EXPECT_EQ(symptom("vdd_aon"), "rail_already_on");
}

TEST_F(RailSteps, OnIsRefusedAboveTheEnvelope) {
  FakeStep on = step("vdd_aon", "rail.on");
  on.quantity("voltage", 0.96, Dimension::voltage);
  EXPECT_EQ(on.run()->error_class, ErrorClass::interlock);
  EXPECT_FALSE(aon->commanded);
}

TEST_F(RailSteps, OffIsReadBack) {
  turn_on("vdd_aon");
  FakeStep off = step("vdd_aon", "rail.off");
  EXPECT_FALSE(off.run());
  EXPECT_THAT(off.events, ElementsAre("released rail vdd_aon", "released set point vdd_aon", "released margin vdd_aon"))
      << "what was done to the voltage of a rail that is off needs no undo";
  EXPECT_LE(off.measured_as("")->value.value, 0.1);
}

TEST_F(RailSteps, OffThatHasNoEffectIsFound) {
  turn_on("vdd_aon");
  aon->disable_lost = true;
  FakeStep off = step("vdd_aon", "rail.off");
  const auto failure = off.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "rail_will_not_turn_off");
  EXPECT_THAT(off.events, testing::IsEmpty()) << "the ledger must keep the entry";
}

TEST_F(RailSteps, OffDoesNotRelyOnTelemetry) {
  turn_on("vdd_aon");
  aon->telemetry_factor = 0;
  aon->disable_lost = true;
  EXPECT_EQ(step("vdd_aon", "rail.off").run()->symptom, "rail_will_not_turn_off");
}

TEST_F(RailSteps, RampStepsWithinTheSlew) {
  turn_on("vdd_aon");
  calls.clear();
  FakeStep ramp = step("vdd_aon", "rail.ramp");
  ramp.quantity("to", 0.9, Dimension::voltage).quantity("slew", 10, Dimension::voltage_slew);
  EXPECT_FALSE(ramp.run());
  EXPECT_EQ(calls.size(), 5U);  // 50 mV at 10 mV/ms, a step a millisecond
  EXPECT_NEAR(aon->real().base(), 0.9, 1e-9);
  ramp.undo(0);
  EXPECT_NEAR(aon->target_voltage().base(), 0.85, 1e-9);
}

TEST_F(RailSteps, RampRefusesTooSteepASlewAndARailThatIsOff) {
  FakeStep off = step("vdd_aon", "rail.ramp");
  EXPECT_EQ(off.quantity("to", 0.9, Dimension::voltage).run()->symptom, "rail_is_off");
  turn_on("vdd_aon");
  FakeStep steep = step("vdd_aon", "rail.ramp");
  steep.quantity("to", 0.9, Dimension::voltage).quantity("slew", 101, Dimension::voltage_slew);
  EXPECT_EQ(steep.run()->error_class, ErrorClass::interlock);
}

TEST_F(RailSteps, MarginIsMeasuredAndEnds) {
  turn_on("vdd_aon");
  FakeStep low = step("vdd_aon", "rail.margin");
  EXPECT_FALSE(low.set("margin", std::string("low")).run());
  EXPECT_NEAR(low.measured_as("")->value.value, 0.85 * 0.95, 1e-9);
  low.undo(0);
  EXPECT_NEAR(aon->real().base(), 0.85, 1e-9);
}

}  // namespace
}  // namespace firstlight
