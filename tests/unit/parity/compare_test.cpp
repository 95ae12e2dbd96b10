// What counts as a difference between two runs, and what does not.
#include "lab/parity/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/parity/write.h"

namespace firstlight::parity {
namespace {

using report::FailureRecord;
using report::MeasurementRecord;
using report::RunRecord;
using report::StepRecord;
using testing::HasSubstr;

MeasurementRecord voltage(double value, Verdict verdict = Verdict::pass) {
  MeasurementRecord out;
  out.name = "vdd_core.voltage";
  out.value = value;
  out.min = 0.83;
  out.max = 0.87;
  out.limit = "830 mV .. 870 mV";
  out.text = std::to_string(value);
  out.verdict = verdict;
  return out;
}

MeasurementRecord identity(const std::string& text, Verdict verdict = Verdict::pass) {
  MeasurementRecord out;
  out.name = "serial number";
  out.check = true;
  out.text = text;
  out.limit = "FL-TERN-.*";
  out.verdict = verdict;
  return out;
}

StepRecord step(const std::string& id, Verdict verdict = Verdict::pass) {
  StepRecord out;
  out.id = id;
  out.kind = "verb";
  out.verdict = verdict;
  out.attempts = 1;
  out.ended = true;
  return out;
}

StepRecord failed(const std::string& id, const std::string& symptom) {
  StepRecord out = step(id, Verdict::fail);
  out.failure = FailureRecord{"dut", symptom, "it did not work", "link0 lane 2", "", "", ""};
  return out;
}

StepRecord skipped(const std::string& id, const std::string& reason) {
  StepRecord out = step(id, Verdict::skip);
  out.skip_reason = reason;
  return out;
}

RunRecord run(std::vector<StepRecord> steps, Verdict verdict = Verdict::pass) {
  RunRecord out;
  out.name = "bringup";
  out.verdict = verdict;
  out.safe = true;
  out.complete = true;
  out.steps = std::move(steps);
  return out;
}

TEST(Parity, TheSameIsEqual) {
  StepRecord one = step("power/core_v");
  one.measurements = {voltage(0.85), identity("FL-TERN-0001")};
  const Comparison same = compare(run({one}), run({one}));
  EXPECT_TRUE(same.equal());
  EXPECT_EQ(same.steps, 1);
  EXPECT_EQ(same.measurements, 1);
  EXPECT_EQ(same.checks, 1);
}

TEST(Parity, ValuesWithinTheirLimitsAreEqualAndTheirDistanceIsTold) {
  StepRecord a = step("power/core_v");
  StepRecord b = a;
  a.measurements = {voltage(0.85)};
  b.measurements = {voltage(0.86, Verdict::marginal)};
  b.verdict = Verdict::marginal;
  const Comparison comparison = compare(run({a}), run({b}, Verdict::marginal));
  EXPECT_TRUE(comparison.equal());
  ASSERT_EQ(comparison.distances.size(), 1U);
  EXPECT_NEAR(comparison.distances[0].share, 0.25, 1e-9);
}

TEST(Parity, AValueOutsideOnOneSideIsADifference) {
  StepRecord a = step("power/core_v");
  StepRecord b = failed("power/core_v", "limit_exceeded");
  a.measurements = {voltage(0.85)};
  b.measurements = {voltage(0.80, Verdict::fail)};
  const Comparison comparison = compare(run({a}), run({b}, Verdict::fail));
  EXPECT_FALSE(comparison.equal());
  ASSERT_EQ(comparison.differences.size(), 3U);
  EXPECT_EQ(comparison.differences[0].kind, Difference::Kind::verdict);
  EXPECT_THAT(comparison.differences[0].note, HasSubstr("limit_exceeded"));
  EXPECT_EQ(comparison.differences[1].kind, Difference::Kind::value);
  EXPECT_EQ(comparison.differences[1].subject, "vdd_core.voltage");
  EXPECT_EQ(comparison.differences[2].kind, Difference::Kind::run);
}

TEST(Parity, BothOutsideAreEqualUnlessForDifferentReasons) {
  EXPECT_TRUE(compare(run({failed("link/train", "lane_missing")}, Verdict::fail),
                      run({failed("link/train", "lane_missing")}, Verdict::fail))
                  .equal());
  EXPECT_FALSE(compare(run({failed("link/train", "lane_missing")}, Verdict::fail),
                       run({failed("link/train", "no_partner")}, Verdict::fail))
                   .equal());
}

TEST(Parity, WhatFollowsAFailureIsOneLine) {
  const RunRecord a = run({step("link/train"), step("link/prbs"), step("link/retrain")});
  const RunRecord b =
      run({failed("link/train", "lane_missing"), skipped("link/prbs", "after the failure of link/train"),
           skipped("link/retrain", "after the failure of link/train")},
          Verdict::fail);
  const Comparison comparison = compare(a, b);
  ASSERT_EQ(comparison.not_reached.size(), 1U);
  EXPECT_EQ(comparison.not_reached[0].steps, 2);
  EXPECT_FALSE(comparison.not_reached[0].on_a);
  EXPECT_EQ(comparison.differences.size(), 2U) << "the step, and the run";
}

TEST(Parity, ASkipByWhenOnOneSideIsADifference) {
  const Comparison comparison = compare(run({step("a/b")}), run({skipped("a/b", "when: a/x is pass")}));
  ASSERT_EQ(comparison.differences.size(), 1U);
  EXPECT_EQ(comparison.differences[0].b, "skip");
  EXPECT_THAT(comparison.differences[0].note, HasSubstr("when: a/x"));
}

TEST(Parity, AMissingCapabilityHasItsOwnPlace) {
  StepRecord lacking = failed("dma/copy", "capability_missing");
  lacking.failure->message = "the bench offers no dma";
  const Comparison comparison = compare(run({step("dma/copy")}), run({lacking}));
  EXPECT_FALSE(comparison.equal());
  ASSERT_EQ(comparison.missing_on_b.size(), 1U);
  EXPECT_THAT(comparison.missing_on_b[0], HasSubstr("no dma"));
  EXPECT_TRUE(comparison.differences.empty());
}

TEST(Parity, AStepOrMeasurementOfOneSideIsADifference) {
  StepRecord measured = step("power/core_v");
  measured.measurements = {voltage(0.85)};
  const Comparison comparison = compare(run({measured, step("power/extra")}), run({step("power/core_v")}));
  ASSERT_EQ(comparison.differences.size(), 2U);
  EXPECT_EQ(comparison.differences[0].kind, Difference::Kind::measurement);
  EXPECT_EQ(comparison.differences[1].kind, Difference::Kind::step);
  EXPECT_EQ(comparison.differences[1].step, "power/extra");
}

TEST(Parity, OnlyTheLastAttemptCounts) {
  StepRecord again = step("power/core_v", Verdict::marginal);
  again.attempts = 2;
  again.measurements = {voltage(0.70, Verdict::fail), voltage(0.85)};
  again.measurements[1].attempt = 2;
  StepRecord once = step("power/core_v");
  once.measurements = {voltage(0.85)};
  EXPECT_TRUE(compare(run({again}), run({once})).equal());
}

TEST(Parity, ACheckMayFindAnotherText) {
  StepRecord a = step("identity/board");
  StepRecord b = a;
  a.measurements = {identity("FL-TERN-0001")};
  b.measurements = {identity("FL-TERN-0002")};
  const Comparison comparison = compare(run({a}), run({b}));
  EXPECT_TRUE(comparison.equal());
  EXPECT_EQ(comparison.other_texts, 1);
}

TEST(Parity, ABenchThatIsLeftHotIsADifference) {
  RunRecord hot = run({step("a/b")});
  hot.safe = false;
  const Comparison comparison = compare(run({step("a/b")}), hot);
  ASSERT_EQ(comparison.differences.size(), 1U);
  EXPECT_THAT(comparison.differences[0].b, HasSubstr("not safe"));
}

TEST(Parity, TheTableNamesStepSidesAndReason) {
  const RunRecord a = run({step("link/train")});
  const RunRecord b = run({failed("link/train", "lane_missing")}, Verdict::fail);
  const std::string text = to_text(compare(a, b), {"results/a", &a}, {"results/b", &b});
  EXPECT_THAT(text, HasSubstr("link/train  pass  fail  lane_missing (link0 lane 2): it did not work"));
  EXPECT_THAT(to_json(compare(a, b), {"results/a", &a}, {"results/b", &b}), HasSubstr("\"equal\": false"));
}

}  // namespace
}  // namespace firstlight::parity
