#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "lab/capabilities/setpoints.h"
#include "lab/capabilities/switch.h"
#include "lab/steps/undo.h"
#include "tests/unit/steps/fake_step.h"

namespace firstlight {
namespace {

class FakeStrip final : public Switch {
 public:
  std::map<std::string, bool> state = {{"A1", false}, {"A2", false}};
  bool stuck = false;

  std::string part(const std::string& outlet) const override { return "strip output " + outlet; }
  std::vector<std::string> outlets() override {
    std::vector<std::string> names;
    for (const auto& [name, on] : state) names.push_back(name);
    return names;
  }
  void turn_on(const std::string& outlet) override { turn(outlet, true); }
  void turn_off(const std::string& outlet) override { turn(outlet, false); }
  void cycle(const std::string& outlet) override { turn(outlet, true); }
  bool on(const std::string& outlet) override { return state.at(outlet); }

 private:
  void turn(const std::string& outlet, bool on) {
    if (stuck) throw FailureError({ErrorClass::bench, "outlet_readback", "it sticks", part(outlet), {}, {}, {}});
    state.at(outlet) = on;
  }
};

class FakeOven final : public Setpoints {
 public:
  double target_now = 25;

  std::string part() const override { return "oven"; }
  std::vector<std::string> setpoints() override { return {"air"}; }
  Dimension dimension(const std::string&) override { return Dimension::temperature; }
  void set(const std::string&, const Quantity& value) override { target_now = value.value; }
  Quantity target(const std::string&) override { return {target_now, Dimension::temperature}; }
};

class FacilitySteps : public testing::Test {
 protected:
  FacilitySteps() {
    bench_.offer<Switch>("strip", strip_);
    bench_.offer<Setpoints>("oven", oven_);
    bench_.add({"oven.air", Dimension::temperature, {}, "oven", [this] {
                  air_ += (oven_.target_now - air_) / 2;  // it takes its time
                  return Quantity{air_, Dimension::temperature};
                }});
  }
  using StepPtr = std::unique_ptr<test::FakeStep>;

  StepPtr outlet(const char* verb, const std::string& name) {
    auto step = std::make_unique<test::FakeStep>(bench_, verb);
    step->set("switch", std::string("strip")).set("outlet", name);
    return step;
  }
  StepPtr warm(double degrees) {
    auto step = std::make_unique<test::FakeStep>(bench_, "setpoint.set");
    step->set("device", std::string("oven")).set("setpoint", std::string("air"));
    step->quantity("value", degrees, Dimension::temperature);
    return step;
  }

  test::FakeTime time_;
  Bench bench_{BenchPlan{}, time_};
  FakeStrip strip_;
  FakeOven oven_;
  double air_ = 25;
};

TEST_F(FacilitySteps, AnOutletIsWrittenDownBeforeItIsOnAndReleasedWhenOff) {
  strip_.stuck = true;
  auto failed = outlet("outlet.on", "A1");
  EXPECT_EQ(failed->run()->symptom, "outlet_readback");
  ASSERT_EQ(failed->ledger.size(), 1U) << "it may be on all the same";
  strip_.stuck = false;
  auto on = outlet("outlet.on", "A1");
  EXPECT_FALSE(on->run());
  EXPECT_TRUE(strip_.state["A1"]);
  EXPECT_FALSE(strip_.state["A2"]);
  perform_undo(bench_, on->ledger.front().second.undo);
  EXPECT_FALSE(strip_.state["A1"]);
  auto off = outlet("outlet.off", "A1");
  EXPECT_FALSE(off->run());
  EXPECT_EQ(off->events, std::vector<std::string>{"released outlet strip A1"});
  EXPECT_EQ(on->ledger.front().first, "outlet strip A1") << "the same key";
}

TEST_F(FacilitySteps, AnOutletMustBeNamedWhereThereAreSeveral) {
  auto step = outlet("outlet.on", "");
  EXPECT_EQ(step->run()->symptom, "which_outlet");
  EXPECT_TRUE(step->ledger.empty());
}

TEST_F(FacilitySteps, WhatFeedsARailIsTurnedOffWhenItHasOneOutlet) {
  const auto undo = turn_off_undo(bench_, "strip");
  ASSERT_TRUE(undo);
  strip_.state = {{"A1", true}};
  perform_undo(bench_, *undo);
  EXPECT_FALSE(strip_.state["A1"]);
  strip_.state["A2"] = true;
  EXPECT_THROW(perform_undo(bench_, *undo), FailureError) << "which one?";
}

TEST_F(FacilitySteps, ASetPointIsWaitedForAndGoesBackWhenTheBenchIsMadeSafe) {
  auto step = warm(60);
  step->set("watch", std::string("oven.air")).quantity("tolerance", 1, Dimension::temperature);
  EXPECT_FALSE(step->run());
  ASSERT_NE(step->measured_as(""), nullptr);
  EXPECT_NEAR(step->measured_as("")->value.value, 60, 1);
  perform_undo(bench_, step->ledger.front().second.undo);
  EXPECT_DOUBLE_EQ(oven_.target_now, 25);
}

TEST_F(FacilitySteps, ASetPointThatIsNotReachedFails) {
  air_ = 1e300;
  auto step = warm(60);
  step->set("watch", std::string("oven.air")).quantity("tolerance", 1, Dimension::temperature);
  step->quantity("within", 1, Dimension::time);
  EXPECT_TRUE(step->run());
  EXPECT_EQ(step->measured_as("")->verdict, Verdict::fail);
}

TEST_F(FacilitySteps, WatchingNeedsATolerance) {
  auto step = warm(60);
  step->set("watch", std::string("oven.air"));
  EXPECT_EQ(step->run()->symptom, "no_tolerance");
}

}  // namespace
}  // namespace firstlight
