// Ledger, safe state, interlocks, monitors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/runner/ledger.h"
#include "lab/runner/safe_state.h"
#include "tests/unit/runner/fake_run.h"

namespace firstlight {
namespace {

using test::at_ms;
using test::FakeRun;
using test::ms;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Quantity degrees(double v) { return {v, Dimension::temperature}; }
Quantity volts(double v) { return {v, Dimension::voltage}; }

TEST(SafeState, UndoesInReverseOrderWhateverHappened) {
  FakeRun run;
  std::vector<std::string> undone;
  run.verb("on", [&](StepContext& c) {
    for (const auto* key : {"psu", "clock", "rail x"})
      c.energise(run.action(key, [&undone, key] { undone.emplace_back(key); }));
    c.fail({ErrorClass::dut, "s", "m", "", "", "", ""});
  });
  run.phase("p").steps = {FakeRun::step("a", "on")};
  const RunEnded end = run.run();
  EXPECT_THAT(undone, ElementsAre("rail x", "clock", "psu"));
  EXPECT_TRUE(end.safe);
  EXPECT_EQ(run.notes.safe->reason, "first failure");
  EXPECT_EQ(run.notes.safe->undone, 3);
}

TEST(SafeState, ReplacedEntriesKeepTheirPlaceAndReleasedOnesAreGone) {
  FakeRun run;
  std::vector<std::string> undone;
  run.verb("on", [&](StepContext& c) {
    c.energise(run.action("psu", [&] { undone.emplace_back("psu 12 V"); }));
    c.energise(run.action("fan", [&] { undone.emplace_back("fan"); }));
    c.energise(run.action("rail x", [&] { undone.emplace_back("rail x"); }));
    c.energise(run.action("psu", [&] { undone.emplace_back("psu 13 V"); }));
    c.de_energised("fan");
    c.de_energised("never there");
  });
  run.phase("p").steps = {FakeRun::step("a", "on")};
  run.run();
  EXPECT_THAT(undone, ElementsAre("rail x", "psu 13 V"));
  EXPECT_THAT(run.folder.lines("ledger.jsonl"), Contains(HasSubstr("\"replaces\":1")));
}

TEST(SafeState, GoesOnAfterAnUndoThatFailsAndOneThatHangs) {
  FakeRun run;
  std::vector<std::string> undone;
  run.verb("on", [&](StepContext& c) {
    c.energise(run.action("psu", [&] { undone.emplace_back("psu"); }));
    c.energise(run.action("clock", [&] {
      FakeRun::step("", "");
      run.scheduler.sleep_until(kNever);
    }));
    c.energise(run.action("pump", [] { throw std::runtime_error("segfault nearly"); }));
    c.energise(run.action("heater", [] {
      throw FailureError({ErrorClass::infrastructure, "nack", "no answer", "i2c0", "", "", ""});
    }));
  });
  run.phase("p").steps = {FakeRun::step("a", "on")};
  const RunEnded end = run.run();
  EXPECT_THAT(undone, ElementsAre("psu"));
  ASSERT_EQ(run.notes.safe->failed.size(), 3U);
  EXPECT_EQ(run.notes.safe->failed[0].second.failure.symptom, "nack");
  EXPECT_EQ(run.notes.safe->failed[1].second.failure.symptom, "unexpected_exception");
  EXPECT_EQ(run.notes.safe->failed[2].second.failure.symptom, "undo_timeout");
  EXPECT_FALSE(end.safe);
  EXPECT_EQ(end.verdict, Verdict::error);
  EXPECT_EQ(end.exit_status, 3);
  EXPECT_EQ(end.first_failure->event.failure.symptom, "bench_unsafe");
  EXPECT_THAT(run.folder.lines("ledger.jsonl").back(), HasSubstr("\"safe\":false"));
}

TEST(SafeState, AnUndoThatMeetsABusErrorIsTriedAgainBeforeTheNextOne) {
  FakeRun run;
  std::vector<std::string> undone;
  int tries = 0;
  run.verb("on", [&](StepContext& c) {
    c.energise(run.action("psu", [&] { undone.emplace_back("psu"); }));
    c.energise(run.action("rail x", [&] {
      if (++tries == 1) throw FailureError({ErrorClass::infrastructure, "nack", "no answer", "i2c0", "", "", ""});
      undone.emplace_back("rail x");
    }));
  });
  run.phase("p").steps = {FakeRun::step("a", "on")};
  const RunEnded end = run.run();
  EXPECT_EQ(tries, 2);
  EXPECT_THAT(undone, ElementsAre("rail x", "psu"));
  EXPECT_TRUE(end.safe);
  EXPECT_TRUE(run.notes.safe->failed.empty());
}

TEST(SafeState, ABenchThatIsConnectedAnewForEachLookMayTakeThePlaceOfTheOldOne) {
  FakeRun run;
  run.plan.rails.resize(2);
  run.plan.rails[0].name = "a rail whose name is long enough to be stored elsewhere";
  run.plan.rails[1].name = "another rail whose name is long enough to be stored elsewhere";
  LedgerState state;
  for (const auto& rail : run.plan.rails)
    state.add({state.made() + 1, {"on", "off", "rail " + rail.name, {"rail_off", rail.name, ""}}});
  const UndoTable undo{[](Bench& bench, const Undo& one) { bench.rail(one.target).disable(); },
                       [](const Undo&) { return false; },
                       [](const Bench&, const std::string&) { return std::optional<Undo>(); }};
  MadeSafe made;
  run.scheduler.run([&] {
    auto bench = std::make_unique<Bench>(run.plan, run.scheduler);  // no driver could be built
    Ledger ledger(std::move(state), nullptr, run.notes, run.scheduler);
    made = make_safe({run.scheduler, bench.get(), ledger, run.notes, undo, "by hand", kSafeStateStep, [&] {
                        bench = std::make_unique<Bench>(run.plan, run.scheduler);
                        return bench.get();
                      }});
  });
  EXPECT_FALSE(made.safe);
  ASSERT_EQ(made.verified.size(), 2U);
  EXPECT_EQ(made.verified[1].rail, run.plan.rails[1].name);
  EXPECT_THAT(bench_unsafe(made).failure.message, HasSubstr("not seen to be off: " + run.plan.rails[0].name));
}

TEST(SafeState, ARailThatStaysOnIsUnsafeAndNamed) {
  FakeRun run;
  run.rail("vdd").stuck_on = true;
  run.verb("on", test::power_on("vdd"));
  run.phase("p").steps = {FakeRun::step("on", "on")};
  const RunEnded end = run.run();
  EXPECT_FALSE(end.safe);
  EXPECT_EQ(end.verdict, Verdict::error);
  EXPECT_THAT(end.first_failure->event.failure.message, HasSubstr("still energised: vdd at 1 V"));
  ASSERT_EQ(run.notes.safe->verified.size(), 1U);
  EXPECT_EQ(run.notes.safe->verified[0].on, true);
}

TEST(SafeState, ARailThatWouldNotTurnOffIsSafeWhenASensePointSeesItOff) {
  FakeRun run;
  RailPlan plan;
  plan.sense = "dmm0.ch1";
  run.rail("vdd", plan);
  double sensed = 1;
  run.measurable("dmm0.ch1", Dimension::voltage, [&] { return volts(sensed); });
  run.verb("on", [&](StepContext& c) {
    c.energise(run.action("psu", [&] { sensed = 0; }));
    c.energise(run.action("rail vdd", [] {
      throw FailureError(
          {ErrorClass::dut, "rail_still_on", "OFF was acknowledged, the output stays", "vr", "", "", ""});
    }));
  });
  run.phase("p").steps = {FakeRun::step("on", "on")};
  const RunEnded end = run.run();
  EXPECT_TRUE(end.safe);
  EXPECT_EQ(end.verdict, Verdict::error) << "the undo failed all the same";
  EXPECT_EQ(end.first_failure->event.failure.symptom, "undo_failed");
  EXPECT_TRUE(run.notes.safe->verified[0].independent);
}

/// A rail that no OFF turns off, fed by a supply whose own ledger entry is gone.
struct Stuck {
  Stuck() {
    RailPlan plan;
    plan.driver = "vr";
    rail = &run.rail("vdd", plan);
    rail->stuck_on = true;
    run.plan.drivers = {{"psu", "supply", {}, {}, {}, "strip"}, {"vr", "pmbus", {}, {}, {}, "psu"}};
    run.verb("on", [this](StepContext& c) {
      c.energise(run.action("psu", [this] { cut("psu", works); }));
      c.energise(run.action("strip", [this] { cut("strip", true); }));
      c.de_energised("psu");
      c.de_energised("strip");
      test::power_on("vdd")(c);
    });
    run.phase("p").steps = {FakeRun::step("on", "on")};
  }
  void cut(const std::string& what, bool with_effect) {
    cuts.push_back(what);
    if (!with_effect) throw FailureError({ErrorClass::bench, "supply_will_not_turn_off", what, what, "", "", ""});
    rail->stuck_on = rail->on = false;
  }
  FakeRun run;
  test::FakeRail* rail = nullptr;
  std::vector<std::string> cuts;
  bool works = true;
};

TEST(SafeState, WhatWillNotTurnOffLosesWhatFeedsIt) {
  Stuck stuck;
  const RunEnded end = stuck.run.run();
  EXPECT_THAT(stuck.cuts, ElementsAre("psu"));
  EXPECT_TRUE(end.safe);
  EXPECT_THAT(stuck.run.notes.ledger_events, Contains("cut psu"));
  EXPECT_THAT(stuck.run.folder.lines("ledger.jsonl"), Contains(HasSubstr("psu feeds vdd, which did not turn off")));
}

TEST(SafeState, GoesUpTheChainUntilItIsOff) {
  Stuck stuck;
  stuck.works = false;
  const RunEnded end = stuck.run.run();
  EXPECT_THAT(stuck.cuts, ElementsAre("psu", "psu", "strip")) << "twice before the next one up";
  EXPECT_TRUE(end.safe);
  EXPECT_THAT(stuck.run.notes.ledger_events, Contains("cut_failed psu"));
  EXPECT_THAT(stuck.run.notes.ledger_events, Contains("cut strip"));
}

TEST(SafeState, ALoadThatCannotBeTurnedOffIsOffWithItsRails) {
  FakeRun run;
  run.rail("vdd");
  run.verb("on", [&](StepContext& c) {
    test::power_on("vdd")(c);
    c.energise(run.action("load", [] {
      throw FailureError({ErrorClass::infrastructure, "nack", "no answer", "i2c0", "", "", ""});
    }));
  });
  run.phase("p").steps = {FakeRun::step("on", "on")};
  const RunEnded end = run.run();
  EXPECT_TRUE(end.safe);
  EXPECT_EQ(end.first_failure->event.failure.symptom, "undo_failed");
}

TEST(SafeState, WaitsForARailToDischarge) {
  FakeRun run;
  RailPlan plan;
  plan.sense = "dmm0.ch1";
  run.rail("vdd", plan);
  run.measurable("dmm0.ch1", Dimension::voltage, [&] { return volts(run.scheduler.now() < at_ms(200) ? 0.5 : 0.05); });
  run.verb("on", test::power_on("vdd"));
  run.phase("p").steps = {FakeRun::step("on", "on")};
  const RunEnded end = run.run();
  EXPECT_TRUE(end.safe);
  EXPECT_NEAR(seconds(end.bench_time), 0.2, 0.01);
  EXPECT_EQ(run.notes.measurements.back().step, "@safe_state");
}

TEST(SafeState, AnEntryIsOnTheDiskBeforeTheActionIsDone) {
  FakeRun run;
  std::vector<std::string> seen;
  run.verb("on", [&](StepContext& c) {
    c.energise(run.action("psu", [] {}));
    seen = run.folder.lines("ledger.jsonl");
  });
  run.phase("p").steps = {FakeRun::step("a", "on")};
  run.run();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_THAT(seen[0], HasSubstr("\"undo\":\"undo psu\""));
}

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
