#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/bench/parse.h"
#include "lab/document/document.h"
#include "lab/sequence/parse.h"
#include "tests/corpus/vocabulary.h"

namespace firstlight {
namespace {

using testing::ElementsAre;

const std::string kGood = std::string(FIRSTLIGHT_CORPUS_DIR) + "/good/";

BenchPlan bench() {
  Diagnostics diagnostics;
  return parse_bench(kGood + "bench.yaml", corpus_vocabulary(), diagnostics).value_or(BenchPlan{});
}

SequencePlan good(const ParameterOverrides& overrides = {}) {
  Diagnostics diagnostics;
  const BenchPlan on = bench();
  auto plan = parse_sequence(kGood + "sequence.yaml", corpus_vocabulary(), &on, overrides, diagnostics);
  EXPECT_TRUE(plan) << to_text(diagnostics);
  return plan.value_or(SequencePlan{});
}

std::vector<std::string> ids(const std::vector<StepPlan>& steps) {
  std::vector<std::string> out;
  for (const StepPlan& step : steps) out.push_back(step.id);
  return out;
}

TEST(SequenceParse, ReadsHeaderAndPhases) {
  const SequencePlan plan = good();
  EXPECT_EQ(plan.name, "everything");
  EXPECT_EQ(plan.version, "2");
  EXPECT_THAT(plan.requires_, ElementsAre("rails", "thermal", "links", "dma"));
  EXPECT_EQ(plan.timeout, Duration(std::chrono::seconds(60)));
  ASSERT_EQ(plan.phases.size(), 3U) << "the third is included";
  EXPECT_EQ(plan.phases[0].title, "Rails come up");
  EXPECT_EQ(plan.phases[0].setup.size(), 1U);
  EXPECT_EQ(plan.phases[0].teardown.size(), 1U);
  EXPECT_EQ(plan.phases[2].name, "look");
}

TEST(SequenceParse, RunsForEachOut) {
  const StepPlan group = good().phases[0].steps[0];
  EXPECT_EQ(group.kind, StepPlan::Kind::sequential);
  EXPECT_THAT(ids(group.children),
              ElementsAre("rail_on[vdd_aon]", "rail_v[vdd_aon]", "rail_on[vdd_core]", "rail_v[vdd_core]"));
  EXPECT_EQ(group.children[3].with.at("of").text(), "vdd_core.voltage");
  EXPECT_EQ(group.children[3].title, "Voltage of vdd_core");
  ASSERT_TRUE(group.children[3].when);
  EXPECT_EQ(group.children[3].when->step, "rail_on[vdd_core]") << "the step of the same round";
  EXPECT_THAT(group.children[3].when->verdicts, ElementsAre("pass", "marginal"));
}

TEST(SequenceParse, RangesHoldBothEnds) {
  const StepPlan group = good().phases[0].steps[2];
  EXPECT_THAT(ids(group.children), ElementsAre("shmoo[800 mV]", "shmoo[850 mV]", "shmoo[900 mV]"));
  EXPECT_EQ(group.children[2].with.at("to").quantity(), (Quantity{0.9, Dimension::voltage}));
  EXPECT_EQ(group.children[0].on_fail, OnFail::continue_);
}

TEST(SequenceParse, KeepsTheTypeOfAParameter) {
  const SequencePlan plan = good({{"core", "800 mV"}, {"cold", "false"}, {"rails", "[vdd_core]"}});
  EXPECT_EQ(plan.parameters.at("core").quantity(), (Quantity{0.8, Dimension::voltage}));
  EXPECT_EQ(plan.phases[0].steps[0].children.size(), 2U);
  EXPECT_EQ(plan.phases[0].steps[1].with.at("to").quantity(), (Quantity{0.8, Dimension::voltage}));
  EXPECT_EQ(plan.phases[1].steps[3].when->constant, false);
  EXPECT_EQ(good().phases[1].steps[3].when->constant, true);
  EXPECT_EQ(plan.phases[2].steps[0].with.at("question").text(), "Is the prbs15 pattern seen?");
}

TEST(SequenceParse, LimitsAreAbsolute) {
  const SequencePlan plan = good();
  const Limit limit = plan.phases[0].steps[1].limits.at("");
  EXPECT_NEAR(*limit.min, 0.833, 1e-12);
  EXPECT_NEAR(*limit.max, 0.867, 1e-12);
  EXPECT_NEAR(limit.marginal, 0.0085, 1e-12) << "a share of nominal";
  EXPECT_EQ(limit.dimension, Dimension::voltage);
  const StepPlan soak = plan.phases[1].steps[1].children[0];
  EXPECT_DOUBLE_EQ(soak.limits.at("hottest").marginal, 5);
  EXPECT_EQ(soak.with.at("settle").quantity(), (Quantity{0.5, Dimension::temperature_change})) << "a default";
  const Limit ident = plan.phases[1].steps[0].limits.at("");
  EXPECT_EQ(*ident.min, 0x7E40);
  EXPECT_EQ(*ident.max, 0x7E40);
}

TEST(SequenceParse, MarginalIsAShareOfTheRangeWithoutANominal) {
  Diagnostics diagnostics;
  const auto plan = parse_sequence_text(
      "x",
      "sequence: {name: x}\nphases:\n  - name: p\n    steps:\n"
      "      - {id: a, do: measure, with: {of: r.voltage}, limit: {min: 800 mV, max: 900 mV, marginal: 10 %}}\n"
      "      - {id: b, do: measure, with: {of: r.voltage}, limit: {max: 2 V, marginal: 1 %}}\n",
      corpus_vocabulary(), nullptr, {}, diagnostics);
  ASSERT_TRUE(plan) << to_text(diagnostics);
  EXPECT_NEAR(plan->phases[0].steps[0].limits.at("").marginal, 0.01, 1e-12);
  EXPECT_NEAR(plan->phases[0].steps[1].limits.at("").marginal, 0.02, 1e-12);
  EXPECT_EQ(plan->phases[0].steps[0].limits.at("").dimension, Dimension::voltage) << "taken from the first value";
}

TEST(SequenceParse, ComparisonsOfParameters) {
  const auto constant = [](const std::string& when) {
    Diagnostics diagnostics;
    const auto plan =
        parse_sequence_text("x",
                            "sequence: {name: x}\nparameters:\n  v: {type: voltage, default: 800 mV}\n"
                            "phases:\n  - name: p\n    steps:\n      - {id: a, do: wait, with: {time: 1 s}, "
                            "when: \"" +
                                when + "\"}\n",
                            corpus_vocabulary(), nullptr, {}, diagnostics);
    EXPECT_TRUE(plan) << to_text(diagnostics);
    return plan ? plan->phases[0].steps[0].when->constant : std::nullopt;
  };
  EXPECT_EQ(constant("${v} == 0.8 V"), true);
  EXPECT_EQ(constant("${v} > 0.8 V"), false);
  EXPECT_EQ(constant("${v} >= 0.8 V"), true);
  EXPECT_EQ(constant("${v} != 1 V"), true);
  EXPECT_EQ(constant("abc == 'abc'"), true);
  EXPECT_EQ(constant("false"), false);
}

TEST(SequenceParse, IdsOfGroupsAreMadeWhenMissingAndUnique) {
  const SequencePlan plan = good();
  EXPECT_EQ(plan.phases[0].steps[0].id, "power.steps[0]");
  EXPECT_EQ(plan.phases[1].steps[1].id, "both");
}

}  // namespace
}  // namespace firstlight
