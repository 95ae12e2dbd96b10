#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/capabilities/current_burst.h"
#include "tests/unit/steps/fake_rail.h"
#include "tests/unit/steps/fake_step.h"

namespace firstlight {
namespace {

using test::FakeRail;
using test::FakeStep;
using test::FakeTime;
using testing::HasSubstr;

/// A chip whose burst takes the rail down by so much a step of its current.
class FakeBurst final : public CurrentBurst {
 public:
  double whole = 0.041;   // V, of one step
  double ramped = 0.026;  // of two halves
  double rate = 1;
  bool ramp_works = true;
  bool prepared = false;
  std::vector<std::pair<unsigned, bool>> runs;
  FakeRail* feeds = nullptr;

  std::string part() const override { return "tern tensor engine"; }
  std::string rail() const override { return "vdd_core"; }
  unsigned longest() const override { return 1024; }
  void prepare(Instant) override { prepared = true; }
  BurstOutcome run(unsigned cycles, bool ramp, Instant) override {
    EXPECT_TRUE(prepared);
    runs.emplace_back(cycles, ramp);
    const bool spread = ramp && ramp_works;
    feeds->dip = std::max(feeds->dip, Voltage(spread ? ramped : whole));
    const auto held = static_cast<std::uint64_t>(cycles * (1 / rate - 1));
    return {cycles, held + (ramp ? 8 : 0), ramp && ramp_works ? 8U : 0U};
  }
};

class BurstSteps : public testing::Test {
 protected:
  BurstSteps() : bench(make_plan(), time) {
    auto rail = std::make_unique<FakeRail>(time, bench.plan().rails[0]);
    core = rail.get();
    core->commanded = true;
    time.pass(Duration{1'000'000'000'000});
    chip.feeds = core;
    bench.add(std::move(rail));
    bench.offer<CurrentBurst>("tern", chip);
  }
  static BenchPlan make_plan() {
    BenchPlan plan;
    RailPlan rail;
    rail.name = "vdd_core";
    rail.nominal = Voltage(0.85);
    rail.tolerance = Ratio(0.03);
    rail.max = Voltage(0.95);
    plan.rails.push_back(rail);
    return plan;
  }
  FakeTime time;
  Bench bench;
  FakeRail* core = nullptr;
  FakeBurst chip;
};

TEST_F(BurstSteps, MeasuresBothDroopsAndTheirRatio) {
  FakeStep step(bench, "tensor.burst");
  EXPECT_FALSE(step.run());
  EXPECT_NEAR(step.measured_as("")->value.value, 0.026, 1e-6);
  EXPECT_NEAR(step.measured_as("unramped")->value.value, 0.041, 1e-6);
  EXPECT_NEAR(step.measured_as("ratio")->value.value, 26.0 / 41, 1e-6);
  EXPECT_EQ(chip.runs.front(), std::pair(512U, false));
}

TEST_F(BurstSteps, ThePictureHasOneCurveEach) {
  FakeStep step(bench, "tensor.burst");
  step.run();
  ASSERT_EQ(step.datas.size(), 2U);
  for (const auto& [kind, text] : step.datas) {
    EXPECT_EQ(kind, "burst_droop");
    const auto curve = nlohmann::json::parse(text);
    EXPECT_EQ(curve.at("rail"), "vdd_core");
    EXPECT_GT(curve.at("points").size(), 8U);
    EXPECT_NEAR(curve.at("points").at(0).at(1).get<double>(), 0.85, 1e-3);
    EXPECT_NEAR(curve.at("points").back().at(1).get<double>(), 0.85 - (curve.at("ramp") ? 0.026 : 0.041), 1e-3);
  }
  FakeStep without(bench, "tensor.burst");
  without.set("picture", false).run();
  EXPECT_TRUE(without.datas.empty());
}

TEST_F(BurstSteps, MissingCapacitorsAreBlamedOnTheDecoupling) {
  chip.whole = 0.082;
  chip.ramped = 0.041;
  const auto failure = FakeStep(bench, "tensor.burst").run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "rail_droop");
  EXPECT_EQ(failure->part, "decoupling of vdd_core");
  EXPECT_THAT(failure->message, HasSubstr("82 mV"));
}

TEST_F(BurstSteps, ARampThatDoesNotSpreadTheStepIsBlamedOnTheChip) {
  chip.whole = chip.ramped = 0.041;
  const auto failure = FakeStep(bench, "tensor.burst").run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->part, "tern tensor engine");
  EXPECT_THAT(failure->likely_cause, HasSubstr("ramp"));
}

TEST_F(BurstSteps, ABurstThatDoesNotRunMeasuresNothing) {
  chip.rate = 0.5;
  EXPECT_EQ(FakeStep(bench, "tensor.burst").run()->symptom, "burst_not_run");
  chip.rate = 1;
  chip.ramp_works = false;
  const auto failure = FakeStep(bench, "tensor.burst").run();
  EXPECT_EQ(failure->symptom, "burst_not_run");
  EXPECT_THAT(failure->likely_cause, HasSubstr("ramp.rest"));
}

TEST_F(BurstSteps, ACaptureThatSeesNothingIsNotAPass) {
  chip.whole = chip.ramped = 0;
  EXPECT_EQ(FakeStep(bench, "tensor.burst").run()->symptom, "no_droop");
}

}  // namespace
}  // namespace firstlight
