// The ledger, and the safe state that undoes it.
#include "lab/runner/safe_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/runner/ledger.h"
#include "tests/unit/runner/fake_run.h"

namespace firstlight {
namespace {

using test::at_ms;
using test::FakeRun;
using test::ms;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

}  // namespace
}  // namespace firstlight
