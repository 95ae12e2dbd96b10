// Interlocks: when they act, and what they never wait for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/runner/fake_run.h"

namespace firstlight {
namespace {

using test::at_ms;
using test::FakeRun;
using test::ms;
using ::testing::ElementsAre;

Quantity degrees(double v) { return {v, Dimension::temperature}; }
Quantity volts(double v) { return {v, Dimension::voltage}; }

InterlockPlan overtemp(InterlockAction what) {
  InterlockPlan plan;
  plan.name = "overtemp";
  plan.watch = "die.hottest";
  plan.above = degrees(100);
  plan.dwell = ms(20);
  plan.period = ms(5);
  plan.hysteresis = Quantity{5, Dimension::temperature_change};
  plan.action = what;
  return plan;
}

/// A run of 200 ms whose temperature is a function of time.
struct Hot {
  explicit Hot(InterlockAction what, const std::function<double(double ms)>& temperature) {
    run.plan.interlocks = {overtemp(what)};
    run.measurable("die.hottest", Dimension::temperature,
                   [this, temperature] { return degrees(temperature(seconds(run.scheduler.now()) * 1000)); });
    run.verb("work", [](StepContext& c) {
      for (int i = 0; i < 20; ++i) {
        c.time().sleep(ms(10));
        c.progress(i / 20.0, "step " + std::to_string(i));
      }
    });
    auto& phase = run.phase("p");
    phase.steps = {FakeRun::step("w", "work")};
    phase.teardown = {FakeRun::step("t", "pass")};
  }
  FakeRun run;
};

TEST(Interlocks, TripAfterTheDwellAndAbortEverything) {
  Hot hot(InterlockAction::trip, [](double t) { return t < 50 ? 60 : 110; });
  const RunEnded end = hot.run.run();
  EXPECT_THAT(hot.run.notes.interlock_names(), ElementsAre("armed", "pending", "tripped", "summary"));
  const auto& tripped = hot.run.notes.interlock_events[2];
  EXPECT_EQ(tripped.at, at_ms(70)) << "20 ms after the first sample outside, at 50 ms";
  EXPECT_GE(tripped.samples.size(), 14U) << "the samples before the trip are kept";
  EXPECT_EQ(tripped.samples.front().second, 60);
  EXPECT_EQ(hot.run.notes.verdict("p/w"), "aborted");
  EXPECT_EQ(hot.run.notes.verdict("p/t"), "skip") << "no teardown after a trip";
  EXPECT_EQ(end.verdict, Verdict::fail);
  EXPECT_EQ(end.exit_status, 4);
  EXPECT_EQ(end.first_failure->event.failure.symptom, "interlock_tripped");
  EXPECT_EQ(end.first_failure->event.failure.message,
            "die.hottest is 110 degC, above 100 degC, for 20 ms (interlock \"overtemp\")");
  EXPECT_EQ(end.first_failure->id, "interlock overtemp");
  EXPECT_THAT(end.first_failure->during, ElementsAre("p/w"));
  EXPECT_EQ(hot.run.notes.safe->reason, "interlock overtemp");
}

TEST(Interlocks, ASpikeShorterThanTheDwellClears) {
  Hot hot(InterlockAction::trip, [](double t) { return t >= 50 && t < 65 ? 110 : 60; });
  const RunEnded end = hot.run.run();
  EXPECT_THAT(hot.run.notes.interlock_names(), ElementsAre("armed", "pending", "cleared", "summary"));
  EXPECT_EQ(end.verdict, Verdict::pass);
}

TEST(Interlocks, NeverWaitBehindAStep) {
  Hot hot(InterlockAction::trip, [](double t) { return t < 50 ? 60 : 110; });
  hot.run.verb("work", [](StepContext& c) { c.time().sleep(std::chrono::seconds(30)); });
  EXPECT_LT(hot.run.run().bench_time, ms(100));
}

TEST(Interlocks, WarnOnceAndClearOnlyBelowTheHysteresis) {
  // Outside from 50 ms; at 98 degC from 100 ms, which is inside the limit but within the hysteresis; cool from 150 ms.
  Hot hot(InterlockAction::warn, [](double t) { return t < 50 ? 60 : t < 100 ? 110 : t < 150 ? 98 : 60; });
  const RunEnded end = hot.run.run();
  EXPECT_THAT(hot.run.notes.interlock_names(), ElementsAre("armed", "pending", "warned", "cleared", "summary"));
  EXPECT_EQ(hot.run.notes.interlock_events[3].at, at_ms(150));
  EXPECT_EQ(end.verdict, Verdict::pass);
}

TEST(Interlocks, SuspendHoldsStepsUntilItClears) {
  Hot hot(InterlockAction::suspend, [](double t) { return t >= 50 && t < 300 ? 110 : 60; });
  const RunEnded end = hot.run.run();
  EXPECT_THAT(hot.run.notes.interlock_names(), ElementsAre("armed", "pending", "suspended", "resumed", "summary"));
  EXPECT_EQ(end.verdict, Verdict::pass);
  EXPECT_GT(end.bench_time, ms(400)) << "200 ms of work, and some 230 ms of waiting";
}

TEST(Interlocks, ASuspensionThatNeverClearsTrips) {
  Hot hot(InterlockAction::suspend, [](double t) { return t >= 50 ? 110 : 60; });
  hot.run.phase("q");
  hot.run.sequence.phases[0].steps[0].timeout = std::chrono::seconds(600);
  const RunEnded end = hot.run.run();
  EXPECT_EQ(end.first_failure->event.failure.symptom, "interlock_suspend_timeout");
  EXPECT_EQ(end.exit_status, 4);
}

TEST(Interlocks, BlindnessTripsAsInfrastructure) {
  Hot hot(InterlockAction::trip, [](double t) {
    if (t >= 50) throw FailureError({ErrorClass::infrastructure, "nack", "no answer", "i2c0", "", "", ""});
    return 60.0;
  });
  const RunEnded end = hot.run.run();
  EXPECT_THAT(hot.run.notes.interlock_names(), ElementsAre("armed", "unreadable", "tripped", "summary"));
  EXPECT_EQ(end.first_failure->event.failure.symptom, "interlock_blind");
  EXPECT_EQ(end.verdict, Verdict::error);
  EXPECT_EQ(end.exit_status, 3);
}

TEST(Interlocks, AReadingThatHangsIsBlindnessWhileItStillHangs) {
  FakeRun* run = nullptr;
  Hot hot(InterlockAction::trip, [&](double t) {
    if (t >= 50) run->scheduler.sleep_until(kNever);
    return 60.0;
  });
  run = &hot.run;
  hot.run.verb("work", [](StepContext& c) { c.time().sleep(std::chrono::seconds(30)); });
  const RunEnded end = hot.run.run();
  EXPECT_THAT(hot.run.notes.interlock_names(), ElementsAre("armed", "unreadable", "tripped", "summary"));
  const auto& tripped = hot.run.notes.interlock_events[2];
  EXPECT_EQ(tripped.at, at_ms(295)) << "250 ms after the last reading, at 45 ms";
  EXPECT_EQ(end.first_failure->event.failure.symptom, "interlock_blind");
  EXPECT_EQ(end.verdict, Verdict::error);
  EXPECT_TRUE(end.safe);
  EXPECT_LE(end.bench_time, ms(500)) << "the reading is cut off";
}

TEST(Interlocks, ADriverWithABugTripsAtOnce) {
  Hot hot(InterlockAction::trip, [](double t) -> double {
    if (t >= 50) throw std::out_of_range("no such key");
    return 60;
  });
  const RunEnded end = hot.run.run();
  EXPECT_THAT(hot.run.notes.interlock_names(), ElementsAre("armed", "tripped", "summary"));
  EXPECT_EQ(end.first_failure->event.failure.symptom, "unexpected_exception");
  EXPECT_EQ(end.first_failure->event.at, at_ms(50));
  EXPECT_EQ(end.verdict, Verdict::error);
  EXPECT_EQ(end.exit_status, 3);
}

TEST(Interlocks, AMissedSampleOrTwoIsNoBlindness) {
  Hot hot(InterlockAction::trip, [](double t) {
    if (t >= 50 && t < 60) throw FailureError({ErrorClass::infrastructure, "nack", "no answer", "i2c0", "", "", ""});
    return 60.0;
  });
  EXPECT_EQ(hot.run.run().verdict, Verdict::pass);
}

/// An under-voltage interlock that is armed by its rail.
struct Guarded {
  Guarded() {
    InterlockPlan plan;
    plan.name = "undervoltage";
    plan.watch = "vdd.voltage";
    plan.below = volts(0.8);
    plan.period = ms(1);
    plan.dwell = ms(2);
    plan.when = "vdd";
    run.plan.interlocks = {plan};
    rail = &run.rail("vdd");
    run.measurable("vdd.voltage", Dimension::voltage, [this] { return sag ? volts(0.5) : rail->voltage().quantity(); });
    run.verb("on", [this](StepContext& c) {
      test::power_on("vdd")(c);
      rail->good = false;
      sag = true;  // the ramp
      c.time().sleep(ms(20));
      sag = false;
      rail->good = true;
      c.time().sleep(ms(20));
    });
    run.verb("off", [this](StepContext& c) {
      rail->disable();
      c.time().sleep(ms(20));
      c.de_energised("rail vdd");
      c.time().sleep(ms(20));
    });
    run.verb("sag", [this](StepContext& c) {
      sag = true;
      c.time().sleep(ms(20));
    });
  }
  FakeRun run;
  test::FakeRail* rail = nullptr;
  bool sag = false;
};

TEST(Interlocks, AreArmedWhenTheRailIsGoodAndDisarmedWhenAStepTurnsItOff) {
  Guarded guarded;
  auto& run = guarded.run;
  run.phase("p").steps = {FakeRun::step("wait", "tick"), FakeRun::step("on", "on"), FakeRun::step("off", "off")};
  const RunEnded end = run.run();
  EXPECT_EQ(end.verdict, Verdict::pass) << (end.first_failure ? end.first_failure->event.failure.message : "");
  EXPECT_THAT(run.notes.interlock_names(), ElementsAre("armed", "disarmed", "summary"));
}

TEST(Interlocks, TripOnARailThatAFaultTurnedOff) {
  Guarded guarded;
  auto& run = guarded.run;
  run.verb("die", [&](StepContext& c) {
    guarded.rail->on = false;
    guarded.rail->faults = {"IOUT_OC_FAULT"};
    c.time().sleep(ms(20));
  });
  run.phase("p").steps = {FakeRun::step("on", "on"), FakeRun::step("die", "die")};
  EXPECT_EQ(run.run().exit_status, 4);
}

TEST(Interlocks, TripOnASagOfAnArmedRail) {
  Guarded guarded;
  auto& run = guarded.run;
  run.phase("p").steps = {FakeRun::step("on", "on"), FakeRun::step("sag", "sag")};
  const RunEnded end = run.run();
  EXPECT_EQ(end.exit_status, 4);
  EXPECT_TRUE(end.safe);
}

}  // namespace
}  // namespace firstlight
