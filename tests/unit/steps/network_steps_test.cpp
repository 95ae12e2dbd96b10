#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/network/reference_engine.h"
#include "lab/steps/products.h"
#include "tests/unit/steps/fake_step.h"

namespace firstlight::test {
namespace {

/// Right, unless told to flip a bit of one element of one product, and three quarters busy.
class FakeEngine final : public network::ReferenceEngine {
 public:
  std::string part() const override { return "tern tensor"; }
  double peak(const arithmetic::GemmOptions& options) override { return options.double_row ? 256 : 128; }
  double memory_bytes_per_cycle() override { return 8; }
  std::uint64_t ideal_cycles(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& /*options*/) override {
    return std::uint64_t{shape.m} * shape.n * shape.k / 64;
  }
  GemmOutcome run(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options,
                  const arithmetic::GemmOperands& operands, GemmStart start, Instant deadline) override {
    starts.push_back(start);
    GemmOutcome outcome = ReferenceEngine::run(shape, options, operands, start, deadline);
    if (runs++ == wrong_run) outcome.result.c.at(wrong_byte) ^= 0x40U;
    outcome.cycles.active = 3 * ideal_cycles(shape, options);
    outcome.cycles.held = ideal_cycles(shape, options);
    return outcome;
  }
  std::vector<GemmStart> starts;
  GemmSuspect suspect(const arithmetic::GemmShape& /*shape*/, const arithmetic::GemmOptions& /*options*/,
                      const arithmetic::GemmOperands& /*operands*/, const std::vector<GemmWrong>& wrong) override {
    return {"column " + std::to_string(wrong.at(0).n) + " of the array", "it is the only one"};
  }
  int runs = 0;
  int wrong_run = -1;
  std::size_t wrong_byte = 0;
};

class NetworkSteps : public testing::Test {
 protected:
  NetworkSteps() { bench_.offer<GemmEngine>("tern0", engine_); }
  FakeTime time_;
  Bench bench_{BenchPlan{}, time_};
  FakeEngine engine_;
};

TEST_F(NetworkSteps, ShapesAreThreeSizes) {
  const auto shape = steps::parse_shape("128x64x3");
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->m, 128U);
  EXPECT_EQ(shape->n, 64U);
  EXPECT_EQ(shape->k, 3U);
  for (const char* text : {"", "128", "128x64", "128x64x", "128x0x3", "1x2x3x4", "ax1x1", "1x1x70000", "1 x1x1"})
    EXPECT_FALSE(steps::parse_shape(text)) << text;
}

TEST_F(NetworkSteps, ASweepMeasuresEachPoint) {
  FakeStep step(bench_, "tensor.sweep");
  step.list("shapes", {"16x16x16", "32x8x64"}).list("dtypes", {"bf16", "fp8_e4m3"});
  EXPECT_FALSE(step.run());
  EXPECT_EQ(engine_.runs, 4);
  ASSERT_EQ(step.datas.size(), 1U);
  EXPECT_EQ(step.datas[0].first, "roofline");
  const auto roofline = nlohmann::json::parse(step.datas[0].second);
  EXPECT_EQ(roofline["bytes_per_cycle"], 8);
  ASSERT_EQ(roofline["points"].size(), 4U);
  const auto& point = roofline["points"][0];
  EXPECT_EQ(point["shape"], "16x16x16");
  EXPECT_EQ(point["peak"], 128);
  EXPECT_DOUBLE_EQ(point["utilisation"], 0.75);
  EXPECT_DOUBLE_EQ(point["ops_per_cycle"], 2.0 * 16 * 16 * 16 / 256);
  // C has as many bytes as both operands: 1024.
  EXPECT_DOUBLE_EQ(point["intensity"], 8);
  EXPECT_EQ(roofline["points"][3]["dtype"], "fp8_e4m3 double row");
  EXPECT_DOUBLE_EQ(step.measured_as("")->value.value, 0.75);
}

TEST_F(NetworkSteps, ASweepCanBeginWithAllOperandsInTheScratchpad) {
  FakeStep step(bench_, "tensor.sweep");
  step.list("shapes", {"8x8x8"}).list("dtypes", {"bf16"}).set("from", std::string("scratchpad"));
  EXPECT_FALSE(step.run());
  EXPECT_THAT(engine_.starts, testing::ElementsAre(GemmStart::preloaded));
}

TEST_F(NetworkSteps, ASweepBlamesTheEngineForAWrongElement) {
  engine_.wrong_run = 1;
  FakeStep step(bench_, "tensor.sweep");
  step.list("shapes", {"8x8x8", "16x8x8"}).list("dtypes", {"fp16"});
  const auto failure = step.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "gemm_wrong");
  EXPECT_EQ(failure->part, "column 0 of the array of tern tensor");
  EXPECT_EQ(failure->likely_cause, "it is the only one");
  EXPECT_THAT(failure->message, testing::HasSubstr("1 of 128 elements of gemm.fp16.16x8x8"));
  EXPECT_THAT(failure->message, testing::HasSubstr("row 0, column 0"));
}

TEST_F(NetworkSteps, ASweepRefusesWhatIsNoShape) {
  FakeStep step(bench_, "tensor.sweep");
  step.list("shapes", {"128*128"}).list("dtypes", {"bf16"});
  const auto failure = step.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error_class, ErrorClass::sequence);
  EXPECT_THAT(failure->message, testing::HasSubstr("128*128"));
}

TEST_F(NetworkSteps, ATransformerBlockMustBeExact) {
  FakeStep good(bench_, "network.transformer");
  EXPECT_FALSE(good.run());
  EXPECT_EQ(good.measured_as("wrong_elements")->value.value, 0);
  EXPECT_DOUBLE_EQ(good.measured_as("")->value.value, 0.75);
  const auto products = nlohmann::json::parse(good.datas.at(0).second)["products"];
  EXPECT_EQ(products.size(), 8U) << "query, key, value, scores, attend, projection, up, down";
  EXPECT_EQ(products[3]["runs"], 4);

  engine_.runs = 0;
  engine_.wrong_run = 2;
  FakeStep bad(bench_, "network.transformer");
  const auto failure = bad.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "network_wrong");
  EXPECT_EQ(failure->part, "tern tensor");
  EXPECT_GT(bad.measured_as("wrong_elements")->value.value, 0);
}

TEST_F(NetworkSteps, HeadsDivideTheWidth) {
  FakeStep step(bench_, "network.transformer");
  step.set("heads", std::int64_t{5});
  const auto failure = step.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->error_class, ErrorClass::sequence);
}

TEST_F(NetworkSteps, EveryLossOfTheTrainingMustBeExact) {
  FakeStep good(bench_, "network.train");
  EXPECT_FALSE(good.run());
  EXPECT_EQ(good.measured_as("wrong_losses")->value.value, 0);
  EXPECT_LT(good.measured_as("")->value.value, good.measured_as("loss")->value.value / 4);
  const auto curve = nlohmann::json::parse(good.datas.at(0).second);
  EXPECT_EQ(good.datas.at(0).first, "loss_curve");
  ASSERT_EQ(curve["points"].size(), 20U);
  EXPECT_EQ(curve["points"][19][1], curve["points"][19][2]);

  engine_.runs = 0;
  engine_.wrong_run = 11;  // the third step's output
  engine_.wrong_byte = 3;
  FakeStep bad(bench_, "network.train");
  const auto failure = bad.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->symptom, "network_wrong");
  EXPECT_THAT(failure->message, testing::HasSubstr("training step"));
  EXPECT_GT(bad.measured_as("wrong_losses")->value.value, 10);
}

TEST_F(NetworkSteps, ALowBitOfAGradientThatNoLossShowsIsSeenInTheWeights) {
  engine_.wrong_run = 5 * 19 + 4;
  FakeStep step(bench_, "network.train");
  const auto failure = step.run();
  ASSERT_TRUE(failure);
  EXPECT_EQ(step.measured_as("wrong_losses")->value.value, 0);
  EXPECT_EQ(step.measured_as("wrong_weights")->value.value, 1);
  EXPECT_THAT(failure->message, testing::HasSubstr("1 weights and biases differ after 20 steps"));
}

}  // namespace
}  // namespace firstlight::test
