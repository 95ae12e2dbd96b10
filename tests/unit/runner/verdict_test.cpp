// One test for each rule of the table in docs/record.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/runner/fake_run.h"

namespace firstlight {
namespace {

using test::FakeRun;
using test::ms;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = StepPlan::Kind;

Quantity volts(double v) { return {v, Dimension::voltage}; }

StepPlan measuring(FakeRun& run, const std::string& id, double value) {
  run.verb("measure " + id, [value](StepContext& c) { c.measure("", volts(value), "vdd.voltage", "dmm0"); });
  StepPlan step = FakeRun::step(id, "measure " + id);
  Limit limit = Limit::between(volts(0.9), volts(1.1));
  limit.marginal = 0.02;
  step.limits[""] = limit;
  return step;
}

TEST(Verdicts, MeasurementsInsideMarginalAndOutside) {
  FakeRun run;
  auto& phase = run.phase("p");
  phase.steps = {measuring(run, "good", 1.0), measuring(run, "near", 1.09), measuring(run, "bad", 1.2)};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p/good"), "pass");
  EXPECT_EQ(run.notes.verdict("p/near"), "marginal");
  EXPECT_EQ(run.notes.verdict("p/bad"), "fail");
  EXPECT_EQ(run.notes.symptom("p/bad"), "limit_exceeded");
  ASSERT_TRUE(end.first_failure);
  EXPECT_EQ(end.first_failure->event.failure.part, "dmm0");
  EXPECT_EQ(end.first_failure->event.failure.message, "vdd.voltage is 1.2 V, outside 900 mV .. 1.1 V");
  EXPECT_EQ(end.exit_status, 1);
}

TEST(Verdicts, NotANumberFails) {
  FakeRun run;
  run.phase("p").steps = {measuring(run, "nan", std::nan(""))};
  EXPECT_EQ(run.run().verdict, Verdict::fail);
}

TEST(Verdicts, MarginalRunsExitWithZero) {
  FakeRun run;
  run.phase("p").steps = {measuring(run, "near", 1.09), FakeRun::step("ok", "pass")};
  const RunEnded end = run.run();
  EXPECT_EQ(end.verdict, Verdict::marginal);
  EXPECT_EQ(end.exit_status, 0);
  EXPECT_FALSE(end.first_failure);
}

TEST(Verdicts, ALimitOfTheStepCountsUntilTheSequenceReplacesIt) {
  FakeRun run;
  run.verb("own", [](StepContext& c) { c.measure("", {5, Dimension::voltage}, Limit::at_most(volts(4)), "x"); });
  StepPlan replaced = FakeRun::step("replaced", "own");
  replaced.limits[""] = Limit::at_most(volts(6));
  auto& phase = run.phase("p");
  phase.steps = {replaced, FakeRun::step("own", "own")};
  run.run();
  EXPECT_EQ(run.notes.verdict("p/replaced"), "pass");
  EXPECT_EQ(run.notes.verdict("p/own"), "fail");
}

TEST(Verdicts, ChecksHoldOrFail) {
  FakeRun run;
  run.verb("check", [](StepContext& c) {
    c.expect("id", true, "1", "1", "u1");
    c.expect("rev", false, "A0", "B1", "u1");
  });
  run.phase("p").steps = {FakeRun::step("id", "check")};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.symptom("p/id"), "check_failed");
  EXPECT_EQ(end.first_failure->event.failure.message, "rev: expected A0, found B1");
  EXPECT_EQ(end.exit_status, 1);
}

TEST(Verdicts, ANotedFailureDecidesByItsClassAndTheFirstCounts) {
  FakeRun run;
  run.verb("notes", [](StepContext& c) {
    c.note_failure({ErrorClass::dut, "first", "one", "", "", "", ""});
    c.note_failure({ErrorClass::infrastructure, "second", "two", "", "", "", ""});
  });
  run.phase("p").steps = {FakeRun::step("n", "notes")};
  run.run();
  EXPECT_EQ(run.notes.verdict("p/n"), "error");
  EXPECT_EQ(run.notes.symptom("p/n"), "first");
}

TEST(Verdicts, WhatAStepThrowsReplacesWhatItNoted) {
  FakeRun run;
  run.verb("both", [](StepContext& c) {
    c.note_failure({ErrorClass::dut, "noted", "one", "", "", "", ""});
    c.fail({ErrorClass::dut, "thrown", "two", "", "", "", ""});
  });
  run.phase("p").steps = {FakeRun::step("n", "both")};
  run.run();
  EXPECT_EQ(run.notes.symptom("p/n"), "thrown");
}

struct ClassCase {
  ErrorClass error_class;
  Verdict verdict;
  int exit_status;
};

class FailureClasses : public ::testing::TestWithParam<ClassCase> {};

TEST_P(FailureClasses, DecideVerdictAndExitStatus) {
  const auto& expected = GetParam();
  FakeRun run;
  run.verb("throw", [&](StepContext& c) { c.fail({expected.error_class, "s", "m", "p", "", "", ""}); });
  run.phase("p").steps = {FakeRun::step("t", "throw")};
  const RunEnded end = run.run();
  EXPECT_EQ(end.verdict, expected.verdict);
  EXPECT_EQ(end.exit_status, expected.exit_status);
}

INSTANTIATE_TEST_SUITE_P(All, FailureClasses,
                         ::testing::Values(ClassCase{ErrorClass::dut, Verdict::fail, 1},
                                           ClassCase{ErrorClass::interlock, Verdict::fail, 4},
                                           ClassCase{ErrorClass::infrastructure, Verdict::error, 3},
                                           ClassCase{ErrorClass::bench, Verdict::error, 3},
                                           ClassCase{ErrorClass::sequence, Verdict::error, 2},
                                           ClassCase{ErrorClass::operator_, Verdict::error, 130},
                                           ClassCase{ErrorClass::bug, Verdict::error, 3}));

TEST(Verdicts, AnythingElseThatIsThrownIsABug) {
  FakeRun run;
  run.verb("std", [](StepContext&) { throw std::out_of_range("index 7"); });
  run.verb("int", [](StepContext&) { throw 7; });
  StepPlan first = FakeRun::step("std", "std");
  first.on_fail = OnFail::continue_;
  run.phase("p").steps = {first, FakeRun::step("int", "int")};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.symptom("p/std"), "unexpected_exception");
  EXPECT_EQ(run.notes.symptom("p/int"), "unexpected_exception");
  EXPECT_THAT(end.first_failure->event.failure.message, HasSubstr("index 7"));
  EXPECT_EQ(end.exit_status, 3);
}

TEST(Verdicts, AFailureSkipsTheRestAndLaterPhases) {
  FakeRun run;
  auto& one = run.phase("one");
  one.steps = {FakeRun::step("a", "fail"), FakeRun::step("b", "pass")};
  one.teardown = {FakeRun::step("down", "pass")};
  run.phase("two").steps = {FakeRun::step("c", "pass")};
  const RunEnded end = run.run();
  EXPECT_THAT(run.notes.said, ElementsAre("one/a fail", "one/b skip", "one/down pass", "one fail", "two/c skip",
                                          "two skip", "@safe_state pass"));
  EXPECT_EQ(run.notes.ends["one/b"].skip_reason, "after the failure of one/a");
  EXPECT_EQ(run.notes.ends["two/c"].skip_reason, "after the failure of phase one");
  EXPECT_EQ(end.counts.at(Verdict::skip), 2);
  EXPECT_EQ(end.counts.at(Verdict::pass), 1);
  EXPECT_EQ(end.counts.at(Verdict::fail), 1);
  EXPECT_EQ(end.first_failure->step, "one/a");
  EXPECT_EQ(end.first_failure->phase, "one");
  EXPECT_EQ(end.first_failure->section, "steps");
}

TEST(Verdicts, OnFailContinueRunsTheRest) {
  FakeRun run;
  StepPlan a = FakeRun::step("a", "fail");
  a.on_fail = OnFail::continue_;
  auto& one = run.phase("one");
  one.steps = {a, FakeRun::step("b", "pass")};
  one.on_fail = OnFail::continue_;
  run.phase("two").steps = {FakeRun::step("c", "pass")};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("one/b"), "pass");
  EXPECT_EQ(run.notes.verdict("two"), "pass");
  EXPECT_EQ(end.verdict, Verdict::fail);
}

TEST(Verdicts, ABadSetupSkipsStepsAndRunsTeardown) {
  FakeRun run;
  auto& phase = run.phase("p");
  phase.setup = {FakeRun::step("s", "error")};
  phase.steps = {FakeRun::step("a", "pass")};
  phase.teardown = {FakeRun::step("t", "pass")};
  run.run();
  EXPECT_EQ(run.notes.verdict("p/a"), "skip");
  EXPECT_EQ(run.notes.ends["p/a"].skip_reason, "after the failure of the setup of p");
  EXPECT_EQ(run.notes.verdict("p/t"), "pass");
  EXPECT_EQ(run.notes.verdict("p"), "error");
}

TEST(Verdicts, ABadTeardownStepDoesNotStopTheTeardown) {
  FakeRun run;
  auto& phase = run.phase("p");
  phase.steps = {FakeRun::step("a", "pass")};
  phase.teardown = {FakeRun::step("t1", "fail"), FakeRun::step("t2", "pass")};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p/t2"), "pass");
  EXPECT_EQ(end.verdict, Verdict::fail);
  EXPECT_EQ(end.first_failure->section, "teardown");
}

TEST(Verdicts, RetriesUntilItPassesAndCallsThatIntermittent) {
  FakeRun run;
  int calls = 0;
  run.verb("flaky", [&](StepContext& c) {
    if (++calls < 3) c.fail({ErrorClass::dut, "no_lock", "PLL did not lock", "pll", "", "", ""});
  });
  StepPlan step = FakeRun::step("f", "flaky");
  step.retry = {5, ms(10)};
  run.phase("p").steps = {step};
  const RunEnded end = run.run();
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(run.notes.verdict("p/f"), "marginal");
  EXPECT_TRUE(run.notes.ends["p/f"].intermittent);
  EXPECT_EQ(run.notes.ends["p/f"].attempts, 3);
  EXPECT_EQ(run.notes.attempts.size(), 2U);
  EXPECT_EQ(run.notes.ends["p/f"].duration, ms(20));
  EXPECT_EQ(end.verdict, Verdict::marginal);
  EXPECT_FALSE(end.first_failure);
}

TEST(Verdicts, ExhaustedRetriesGiveTheLastFailure) {
  FakeRun run;
  int calls = 0;
  run.verb("worse", [&](StepContext& c) {
    ++calls;
    c.fail({ErrorClass::dut, "attempt" + std::to_string(calls), "m", "", "", "", ""});
  });
  StepPlan step = FakeRun::step("f", "worse");
  step.retry = {2, {}};
  run.phase("p").steps = {step};
  run.run();
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(run.notes.symptom("p/f"), "attempt3");
}

TEST(Verdicts, AWrongSequenceIsNotTriedAgain) {
  FakeRun run;
  int calls = 0;
  run.verb("wrong", [&](StepContext& c) {
    ++calls;
    c.fail({ErrorClass::sequence, "s", "m", "", "", "", ""});
  });
  StepPlan step = FakeRun::step("f", "wrong");
  step.retry = {5, {}};
  run.phase("p").steps = {step};
  run.run();
  EXPECT_EQ(calls, 1);
}

TEST(Verdicts, AGroupIsTriedAgainAsAWholeUnderIdsOfItsOwn) {
  FakeRun run;
  int calls = 0;
  run.verb("flaky", [&](StepContext& c) {
    if (++calls < 2) c.fail({ErrorClass::dut, "s", "m", "", "", "", ""});
  });
  StepPlan group = FakeRun::group("g", Kind::sequential, {FakeRun::step("a", "pass"), FakeRun::step("b", "flaky")});
  group.retry = {1, {}};
  run.phase("p").steps = {group};
  const RunEnded end = run.run();
  EXPECT_THAT(run.notes.said, ElementsAre("p/a pass", "p/b fail", "p/a#2 pass", "p/b#2 pass", "p/g marginal",
                                          "p marginal", "@safe_state pass"));
  EXPECT_EQ(end.verdict, Verdict::marginal);
  EXPECT_EQ(end.counts.at(Verdict::pass), 2) << "what a retry replaced does not count";
}

TEST(Verdicts, WhenDecidesByAnEarlierStepsVerdict) {
  FakeRun run;
  StepPlan bad = FakeRun::step("bad", "fail");
  bad.on_fail = OnFail::continue_;
  StepPlan debug = FakeRun::step("debug", "pass");
  debug.when = Condition{};
  debug.when->step = "bad";
  debug.when->verdicts = {"fail", "error"};
  StepPlan fine = FakeRun::step("fine", "pass");
  fine.when = Condition{};
  fine.when->step = "bad";
  fine.when->verdicts = {"pass"};
  fine.when->text = "bad passed";
  run.phase("p").steps = {bad, debug, fine};
  run.run();
  EXPECT_EQ(run.notes.verdict("p/debug"), "pass");
  EXPECT_EQ(run.notes.verdict("p/fine"), "skip");
  EXPECT_EQ(run.notes.ends["p/fine"].skip_reason, "when: bad passed");
}

TEST(Verdicts, WhenDecidesByAMeasurableAndByAConstant) {
  FakeRun run;
  run.measurable("die.hottest", Dimension::temperature, [] { return Quantity{60, Dimension::temperature}; });
  const auto step = [](const std::string& id, std::optional<double> above, std::optional<double> below) {
    StepPlan plan = FakeRun::step(id, "pass");
    plan.when = Condition{};
    plan.when->measurable = "die.hottest";
    if (above) plan.when->above = Quantity{*above, Dimension::temperature};
    if (below) plan.when->below = Quantity{*below, Dimension::temperature};
    return plan;
  };
  StepPlan never = FakeRun::step("never", "pass");
  never.when = Condition{};
  never.when->constant = false;
  run.phase("p").steps = {step("hot", 50, {}), step("hotter", 60, {}), step("band", 50, 70), never};
  run.run();
  EXPECT_EQ(run.notes.verdict("p/hot"), "pass");
  EXPECT_EQ(run.notes.verdict("p/hotter"), "skip");
  EXPECT_EQ(run.notes.verdict("p/band"), "pass");
  EXPECT_EQ(run.notes.verdict("p/never"), "skip");
}

TEST(Verdicts, WhenThatCannotBeReadIsAnErrorOfTheStepAndNoSilentSkip) {
  FakeRun run;
  run.measurable("x", Dimension::voltage, []() -> Quantity {
    throw FailureError({ErrorClass::infrastructure, "nack", "no answer", "i2c0", "", "", ""});
  });
  StepPlan step = FakeRun::step("s", "pass");
  step.when = Condition{};
  step.when->measurable = "x";
  run.phase("p").steps = {step};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p/s"), "error");
  EXPECT_EQ(end.exit_status, 3);
  EXPECT_EQ(end.first_failure->event.failure.symptom, "nack");
}

TEST(Verdicts, SkippedStepsDoNotCountForWhatHoldsThem) {
  FakeRun run;
  StepPlan never = FakeRun::step("never", "pass");
  never.when = Condition{};
  never.when->constant = false;
  StepPlan all_skipped = FakeRun::group("g", Kind::sequential, {never});
  run.phase("p").steps = {FakeRun::step("a", "pass"), all_skipped};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p/g"), "skip");
  EXPECT_EQ(end.verdict, Verdict::pass);
}

TEST(Verdicts, ARunInWhichNothingRanIsNoPass) {
  FakeRun run;
  StepPlan never = FakeRun::step("never", "pass");
  never.when = Condition{};
  never.when->constant = false;
  run.phase("p").steps = {never};
  const RunEnded end = run.run();
  EXPECT_EQ(end.verdict, Verdict::error);
  EXPECT_EQ(end.first_failure->event.failure.symptom, "nothing_ran");
  EXPECT_EQ(end.exit_status, 2);
}

TEST(Verdicts, BranchesRunAtTheSameTime) {
  FakeRun run;
  run.phase("p").steps = {FakeRun::group(
      "g", Kind::parallel, {FakeRun::step("a", "slow"), FakeRun::step("b", "slow"), FakeRun::step("c", "tick")})};
  const RunEnded end = run.run();
  EXPECT_EQ(end.bench_time, ms(100));
  EXPECT_THAT(run.notes.said,
              ElementsAre("p/c pass", "p/a pass", "p/b pass", "p/g pass", "p pass", "@safe_state pass"));
}

TEST(Verdicts, AFailingBranchCancelsTheOthersWhichDoNotMakeTheGroupAborted) {
  FakeRun run;
  run.verb("late fail", [](StepContext& c) {
    c.time().sleep(ms(5));
    c.fail({ErrorClass::dut, "broken", "m", "u1", "", "", ""});
  });
  run.phase("p").steps = {
      FakeRun::group("g", Kind::parallel, {FakeRun::step("a", "slow"), FakeRun::step("b", "late fail")})};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p/a"), "aborted");
  EXPECT_EQ(run.notes.verdict("p/g"), "fail");
  EXPECT_EQ(end.verdict, Verdict::fail);
  EXPECT_EQ(end.first_failure->step, "p/b");
  EXPECT_EQ(end.bench_time, ms(5));
}

TEST(Verdicts, AFailingBranchWithContinueLeavesTheOthers) {
  FakeRun run;
  StepPlan b = FakeRun::step("b", "fail");
  b.on_fail = OnFail::continue_;
  run.phase("p").steps = {FakeRun::group("g", Kind::parallel, {FakeRun::step("a", "slow"), b})};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p/a"), "pass");
  EXPECT_EQ(run.notes.verdict("p/g"), "fail");
  EXPECT_EQ(end.bench_time, ms(100));
}

TEST(Verdicts, TheFirstFailureIsTheFirstInTimeNotInTheList) {
  FakeRun run;
  run.verb("late fail", [](StepContext& c) {
    c.time().sleep(ms(5));
    c.fail({ErrorClass::dut, "late", "m", "u1", "", "", ""});
  });
  StepPlan late = FakeRun::step("late", "late fail");
  late.on_fail = OnFail::continue_;
  StepPlan early = FakeRun::step("early", "fail");
  early.on_fail = OnFail::continue_;
  run.phase("p").steps = {FakeRun::group("g", Kind::parallel, {late, early})};
  const RunEnded end = run.run();
  EXPECT_EQ(end.first_failure->id, "early");
}

TEST(Timeouts, OfAStepIsANamedFailureWithTheLastThingSaid) {
  FakeRun run;
  StepPlan step = FakeRun::step("s", "slow");
  step.timeout = ms(10);
  run.phase("p").steps = {step};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.symptom("p/s"), "step_timeout");
  EXPECT_EQ(end.first_failure->event.failure.likely_cause, "the last thing it said: waiting for lock");
  EXPECT_EQ(end.bench_time, ms(10));
  EXPECT_EQ(end.exit_status, 1);
}

TEST(Timeouts, OfAStepThatSaysNoneIsSixtySeconds) {
  FakeRun run;
  run.verb("hang", [](StepContext& c) {
    EXPECT_EQ(c.deadline(), Instant(std::chrono::seconds(60)));
    c.time().sleep_until(kNever);
  });
  run.phase("p").steps = {FakeRun::step("s", "hang")};
  run.run();
  EXPECT_EQ(run.notes.symptom("p/s"), "step_timeout");
}

TEST(Timeouts, OfAnAttemptNotOfAllOfThem) {
  FakeRun run;
  StepPlan step = FakeRun::step("s", "slow");
  step.timeout = ms(10);
  step.retry = {2, {}};
  run.phase("p").steps = {step};
  EXPECT_EQ(run.run().bench_time, ms(30));
}

TEST(Timeouts, OfAGroupAbortsWhatRunsBelowIt) {
  FakeRun run;
  StepPlan group = FakeRun::group("g", Kind::sequential,
                                  {FakeRun::step("a", "tick"), FakeRun::step("b", "slow"), FakeRun::step("c", "pass")});
  group.timeout = ms(10);
  run.phase("p").steps = {group};
  const RunEnded end = run.run();
  EXPECT_THAT(run.notes.said,
              ElementsAre("p/a pass", "p/b aborted", "p/c skip", "p/g fail", "p fail", "@safe_state pass"));
  EXPECT_EQ(end.first_failure->event.failure.symptom, "group_timeout");
  EXPECT_EQ(end.first_failure->step, "p/g");
  EXPECT_EQ(end.verdict, Verdict::fail);
}

TEST(Timeouts, OfAParallelGroupAbortsEveryBranch) {
  FakeRun run;
  StepPlan group = FakeRun::group("g", Kind::parallel, {FakeRun::step("a", "slow"), FakeRun::step("b", "slow")});
  group.timeout = ms(10);
  run.phase("p").steps = {group};
  run.run();
  EXPECT_EQ(run.notes.verdict("p/a"), "aborted");
  EXPECT_EQ(run.notes.verdict("p/b"), "aborted");
  EXPECT_EQ(run.notes.symptom("p/g"), "group_timeout");
}

TEST(Timeouts, AStepSeesTheNearestDeadlineAboveIt) {
  FakeRun run;
  run.verb("look", [](StepContext& c) { EXPECT_EQ(c.deadline(), test::at_ms(10)); });
  StepPlan step = FakeRun::step("s", "look");
  step.timeout = ms(50);
  StepPlan group = FakeRun::group("g", Kind::sequential, {step});
  group.timeout = ms(10);
  run.phase("p").steps = {group};
  EXPECT_EQ(run.run().verdict, Verdict::pass);
}

TEST(Timeouts, OfAPhaseAbortsItsStepsAndRunsItsTeardown) {
  FakeRun run;
  auto& phase = run.phase("p");
  phase.timeout = ms(10);
  phase.steps = {FakeRun::step("a", "slow")};
  phase.teardown = {FakeRun::step("t", "slow")};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p/a"), "aborted");
  EXPECT_EQ(run.notes.verdict("p/t"), "pass");
  EXPECT_EQ(run.notes.verdict("p"), "fail");
  EXPECT_EQ(end.first_failure->event.failure.symptom, "phase_timeout");
  EXPECT_EQ(end.bench_time, ms(110));
}

TEST(Timeouts, OfTheRunAbortsRunsTheTeardownAndSkipsTheRest) {
  FakeRun run;
  run.sequence.timeout = ms(10);
  auto& phase = run.phase("p");
  phase.steps = {FakeRun::step("a", "slow")};
  phase.teardown = {FakeRun::step("t", "tick")};
  run.phase("q").steps = {FakeRun::step("b", "pass")};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p/a"), "aborted");
  EXPECT_EQ(run.notes.verdict("p/t"), "pass");
  EXPECT_EQ(run.notes.verdict("q/b"), "skip");
  EXPECT_EQ(end.verdict, Verdict::fail);
  EXPECT_EQ(end.first_failure->event.failure.symptom, "run_timeout");
  EXPECT_THAT(end.first_failure->during, ElementsAre("p/a"));
  EXPECT_EQ(end.exit_status, 1);
}

TEST(Stop, OnceRunsTheTeardownAndMakesTheBenchSafe) {
  FakeRun run;
  run.rail("vdd");
  run.verb("on", test::power_on("vdd"));
  auto& phase = run.phase("p");
  phase.steps = {FakeRun::step("on", "on"), FakeRun::step("a", "slow"), FakeRun::step("b", "pass")};
  phase.teardown = {FakeRun::step("t", "slow")};
  run.phase("q").steps = {FakeRun::step("c", "pass")};
  run.time.at(ms(20), [&] { run.scheduler.post([&] { run.runner->stop(Runner::Stop::operator_); }); });
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p/a"), "aborted");
  EXPECT_EQ(run.notes.verdict("p/b"), "skip");
  EXPECT_EQ(run.notes.verdict("p/t"), "pass");
  EXPECT_EQ(run.notes.verdict("q/c"), "skip");
  EXPECT_EQ(end.verdict, Verdict::aborted);
  EXPECT_EQ(end.exit_status, 130);
  EXPECT_EQ(end.first_failure->event.failure.symptom, "operator_abort");
  EXPECT_EQ(run.notes.safe->reason, "operator");
  EXPECT_TRUE(end.safe);
  EXPECT_THAT(run.notes.ledger_events, ElementsAre("energise rail vdd", "undo rail vdd", "undone rail vdd"));
}

TEST(Stop, TwiceGoesToTheSafeStateAtOnce) {
  FakeRun run;
  run.rail("vdd");
  run.verb("on", test::power_on("vdd"));
  auto& phase = run.phase("p");
  phase.steps = {FakeRun::step("on", "on"), FakeRun::step("a", "slow")};
  phase.teardown = {FakeRun::step("t", "slow"), FakeRun::step("u", "pass")};
  const auto stop = [&] { run.scheduler.post([&] { run.runner->stop(Runner::Stop::operator_); }); };
  run.time.at(ms(20), stop);
  run.time.at(ms(30), stop);
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.verdict("p/t"), "aborted");
  EXPECT_EQ(run.notes.verdict("p/u"), "skip");
  EXPECT_EQ(run.notes.safe->reason, "operator, twice");
  EXPECT_EQ(end.exit_status, 130);
  EXPECT_TRUE(end.safe);
}

TEST(Stop, SigtermIsAnAbortToo) {
  FakeRun run;
  run.phase("p").steps = {FakeRun::step("a", "slow")};
  run.time.at(ms(20), [&] { run.scheduler.post([&] { run.runner->stop(Runner::Stop::terminated); }); });
  const RunEnded end = run.run();
  EXPECT_EQ(end.exit_status, 130);
  EXPECT_EQ(run.notes.safe->reason, "SIGTERM");
}

TEST(Stop, ALostTerminalIsAnAbortToo) {
  FakeRun run;
  auto& phase = run.phase("p");
  phase.steps = {FakeRun::step("a", "slow")};
  phase.teardown = {FakeRun::step("t", "pass")};
  run.time.at(ms(20), [&] { run.scheduler.post([&] { run.runner->stop(Runner::Stop::hung_up); }); });
  const RunEnded end = run.run();
  EXPECT_EQ(end.exit_status, 130);
  EXPECT_EQ(run.notes.safe->reason, "SIGHUP");
  EXPECT_EQ(run.notes.verdict("p/t"), "pass");
}

TEST(Stop, AFailureBeforeTheAbortStaysTheFirst) {
  FakeRun run;
  StepPlan bad = FakeRun::step("bad", "fail");
  bad.on_fail = OnFail::continue_;
  run.phase("p").steps = {bad, FakeRun::step("a", "slow")};
  run.time.at(ms(20), [&] { run.scheduler.post([&] { run.runner->stop(Runner::Stop::operator_); }); });
  const RunEnded end = run.run();
  EXPECT_EQ(end.verdict, Verdict::aborted);
  EXPECT_EQ(end.first_failure->id, "bad");
}

TEST(Connect, ABenchThatCannotBeHadIsInfrastructureAndRunsNothing) {
  FakeRun run;
  run.phase("p").steps = {FakeRun::step("a", "pass")};
  run.on_connect = [] {
    throw FailureError({ErrorClass::infrastructure, "no_device", "no /dev/i2c-4", "i2c0", "", "", ""});
  };
  const RunEnded end = run.run();
  EXPECT_EQ(end.verdict, Verdict::error);
  EXPECT_EQ(end.exit_status, 3);
  EXPECT_EQ(end.first_failure->id, "connect");
  EXPECT_TRUE(run.notes.said.empty());
}

TEST(Prompt, WithNoOneAtTheTerminalIsAFailureAndNoGuess) {
  FakeRun run;
  run.verb("ask", [](StepContext& c) { c.ask("Is the lid closed?", {"yes", "no"}); });
  run.phase("p").steps = {FakeRun::step("a", "ask")};
  const RunEnded end = run.run();
  EXPECT_EQ(run.notes.symptom("p/a"), "no_operator");
  EXPECT_EQ(end.exit_status, 130);
}

TEST(Prompt, AnswersComeBackToTheStep) {
  class Person final : public Operator {
   public:
    std::optional<std::string> ask(Scheduler& scheduler, const std::string&, const std::vector<std::string>&,
                                   Instant) override {
      scheduler.sleep(ms(3));
      return "yes";
    }
  } person;
  FakeRun run;
  run.person = &person;
  std::string answer;
  run.verb("ask", [&](StepContext& c) { answer = c.ask("Is the lid closed?", {"yes", "no"}); });
  run.phase("p").steps = {FakeRun::step("a", "ask")};
  EXPECT_EQ(run.run().verdict, Verdict::pass);
  EXPECT_EQ(answer, "yes");
}

TEST(Seeds, OfAStepComeFromTheRunAndItsId) {
  FakeRun run;
  std::vector<std::uint64_t> seeds;
  run.verb("seed", [&](StepContext& c) { seeds.push_back(c.seed()); });
  run.phase("p").steps = {FakeRun::step("a", "seed"), FakeRun::step("b", "seed")};
  run.run();
  FakeRun again;
  again.verb("seed", [&](StepContext& c) { seeds.push_back(c.seed()); });
  again.phase("p").steps = {FakeRun::step("a", "seed")};
  again.run();
  ASSERT_EQ(seeds.size(), 3U);
  EXPECT_NE(seeds[0], seeds[1]);
  EXPECT_EQ(seeds[0], seeds[2]);
}

}  // namespace
}  // namespace firstlight
