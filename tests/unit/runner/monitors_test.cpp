// Monitors that sample while steps run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/runner/fake_run.h"

namespace firstlight {
namespace {

using test::at_ms;
using test::FakeRun;
using test::ms;

Quantity volts(double v) { return {v, Dimension::voltage}; }

MonitorRequest watch_vdd() {
  MonitorRequest request;
  request.name = "vdd";
  request.measurables = {"vdd.voltage"};
  request.period = ms(5);
  request.limit = Limit::between(volts(0.9), volts(1.1));
  request.has_limit = true;
  return request;
}

struct Monitored {
  explicit Monitored(const std::function<double(double ms)>& voltage) {
    run.measurable("vdd.voltage", Dimension::voltage,
                   [this, voltage] { return volts(voltage(seconds(run.scheduler.now()) * 1000)); });
    run.verb("watch", [](StepContext& c) { c.start_monitor(watch_vdd()); });
    run.verb("stop", [](StepContext& c) { c.stop_monitor("vdd"); });
  }
  FakeRun run;
};

TEST(Monitors, SampleWhileStepsRunAndGiveTheirVerdictToTheStepThatStopsThem) {
  Monitored monitored([](double t) { return t >= 50 && t < 60 ? 1.3 : 1.0; });
  auto& run = monitored.run;
  run.phase("p").steps = {FakeRun::step("watch", "watch"), FakeRun::step("work", "slow"),
                          FakeRun::step("stop", "stop")};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p/watch"), "pass");
  EXPECT_EQ(run.notes.symptom("p/stop"), "monitor_limit");
  EXPECT_EQ(end.verdict, Verdict::fail);
  EXPECT_EQ(end.first_failure->event.at, at_ms(50)) << "the time of the sample, not of the stop";
  const auto& stopped = run.notes.monitor_events.back();
  EXPECT_EQ(stopped.event, "stopped");
  EXPECT_EQ(stopped.samples, 21U);
  EXPECT_EQ(stopped.value->value, 1.3);
  EXPECT_EQ(stopped.worst_at, at_ms(50));
}

TEST(Monitors, OneThatNoStepStopsCountsForTheRun) {
  Monitored monitored([](double t) { return t >= 50 ? 1.3 : 1.0; });
  auto& run = monitored.run;
  run.phase("p").steps = {FakeRun::step("watch", "watch"), FakeRun::step("work", "slow")};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p"), "pass");
  EXPECT_EQ(end.verdict, Verdict::fail);
  EXPECT_EQ(end.first_failure->id, "monitor vdd");
  EXPECT_EQ(end.first_failure->step, "@bench");
  EXPECT_EQ(end.exit_status, 1);
}

TEST(Monitors, ThatCannotReadAreAnError) {
  Monitored monitored([](double t) -> double {
    if (t >= 50) throw FailureError({ErrorClass::infrastructure, "nack", "no answer", "i2c0", "", "", ""});
    return 1.0;
  });
  auto& run = monitored.run;
  run.phase("p").steps = {FakeRun::step("watch", "watch"), FakeRun::step("work", "slow"),
                          FakeRun::step("stop", "stop")};
  EXPECT_EQ(run.run().verdict, Verdict::error);
  EXPECT_EQ(run.notes.symptom("p/stop"), "nack");
}

TEST(Monitors, ADriverWithABugIsAnErrorOfItsOwnClass) {
  Monitored monitored([](double t) -> double {
    if (t >= 50) throw std::out_of_range("no such key");
    return 1.0;
  });
  auto& run = monitored.run;
  run.phase("p").steps = {FakeRun::step("watch", "watch"), FakeRun::step("work", "slow"),
                          FakeRun::step("stop", "stop")};
  EXPECT_EQ(run.run().verdict, Verdict::error);
  EXPECT_EQ(run.notes.symptom("p/stop"), "unexpected_exception");
}

TEST(Monitors, UnknownNamesAndDoubleStartsAreErrorsOfTheSequence) {
  Monitored monitored([](double) { return 1.0; });
  auto& run = monitored.run;
  StepPlan again = FakeRun::step("again", "watch");
  again.on_fail = OnFail::continue_;
  run.verb("typo", [](StepContext& c) { c.stop_monitor("vdx"); });
  run.phase("p").steps = {FakeRun::step("watch", "watch"), again, FakeRun::step("typo", "typo")};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.symptom("p/again"), "monitor_exists");
  EXPECT_EQ(run.notes.symptom("p/typo"), "unknown_monitor");
  EXPECT_EQ(run.notes.ends["p/typo"].failure->failure.likely_cause, "did you mean \"vdd\"?");
  EXPECT_EQ(end.exit_status, 2);
}

TEST(Monitors, StopBeforeTheTeardownOfAPhaseThatFailed) {
  Monitored monitored([&](double t) { return t > 3 ? 0 : 1.0; });
  auto& run = monitored.run;
  auto& phase = run.phase("p");
  phase.steps = {FakeRun::step("watch", "watch"), FakeRun::step("bad", "fail")};
  phase.teardown = {FakeRun::step("off", "slow")};
  const RunEnded end = run.run();
  EXPECT_EQ(end.first_failure->id, "bad");
  EXPECT_EQ(run.notes.monitor_events.back().verdict, Verdict::pass) << "turning the rail off is no violation";
}

}  // namespace
}  // namespace firstlight
