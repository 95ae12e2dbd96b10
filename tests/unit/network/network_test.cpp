// The networks against their golden models, with products by the reference and by plans on the golden engine.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

#include "lab/arithmetic/convert.h"
#include "lab/network/perceptron.h"
#include "lab/network/reference_engine.h"
#include "lab/network/transformer.h"
#include "tb/golden/network/networks.h"
#include "tests/support/random_part.h"
#include "tests/unit/tensor/plan_machine.h"

namespace firstlight::network {
namespace {

namespace golden = tb::golden::network;

using test::seed;

/// Plans of products, on the golden model of the engine.
class PlannedEngine : public GemmEngine {
 public:
  std::string part() const override { return "golden engine"; }
  arithmetic::GemmOrder order() override { return {engine_.entries, engine_.columns}; }
  double peak(const arithmetic::GemmOptions& /*options*/) override { return 128; }
  double memory_bytes_per_cycle() override { return 8; }
  std::uint64_t ideal_cycles(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options) override {
    return tern::tensor::ideal_cycles(engine_, shape, options);
  }
  GemmOutcome run(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options,
                  const arithmetic::GemmOperands& operands, GemmStart /*start*/, Instant /*deadline*/) override {
    using arithmetic::Matrix;
    tern::tensor::Memory memory{{Matrix::a, operands.a}, {Matrix::b, operands.b}, {Matrix::params, operands.params}};
    memory[Matrix::c].resize(layout_of(Matrix::c, shape, options).bytes());
    tern::tensor::PlanMachine machine(engine_, memory, {}, ++seed_);
    machine.run(tern::tensor::plan_gemm(engine_, shape, options));
    GemmOutcome outcome;
    outcome.result.c = memory[Matrix::c];
    outcome.cycles.active = ideal_cycles(shape, options);
    outcome.cycles.held = machine.cycles() - outcome.cycles.active;
    return outcome;
  }

 private:
  tern::tensor::Engine engine_;
  std::uint64_t seed_ = seed();
};

void expect_same(const Grid& found, const golden::Table& expected) {
  ASSERT_EQ(found.rows, expected.size());
  for (std::size_t r = 0; r < found.rows; ++r)
    for (std::size_t c = 0; c < found.columns; ++c)
      ASSERT_EQ(arithmetic::bits_of(found.at(r, c)), expected[r][c].bits) << "row " << r << " column " << c;
}

golden::Table golden_block(const TransformerPlan& p) {
  return golden::transformer_block({p.tokens, p.width, p.heads, p.hidden, p.causal, p.relu, p.seed});
}

std::vector<float> golden_losses(const PerceptronPlan& p, unsigned steps) {
  return golden::losses({p.inputs, p.hidden, p.outputs, p.batch, p.rate, p.seed, steps});
}

std::vector<float> losses(const PerceptronPlan& plan, unsigned steps, GemmEngine& engine) {
  Products products(engine, arithmetic::Format::bf16, {});
  Perceptron perceptron(plan, products);
  std::vector<float> list;
  for (unsigned i = 0; i < steps; ++i) list.push_back(perceptron.step());
  return list;
}

TEST(Network, TheExponentialIsOne) {
  double worst = 0;
  for (std::uint64_t bits = 0; bits < 1ULL << 32U; bits += 19997) {
    const float x = arithmetic::float_of(static_cast<std::uint32_t>(bits));
    const float found = exponential(x);
    ASSERT_EQ(arithmetic::bits_of(found), golden::exponential({static_cast<std::uint32_t>(bits)}).bits) << x;
    if (std::isnan(x) || found == 0.0F || std::isinf(found)) continue;
    const double right = std::exp(double{x});
    worst = std::max(worst, std::fabs(double{found} - right) / std::ldexp(1.0, std::ilogb(found) - 23));
  }
  std::cout << "  worst error " << worst << " units in the last place\n";
  EXPECT_LT(worst, 1.0);
  EXPECT_EQ(exponential(0.0F), 1.0F);
  EXPECT_EQ(exponential(-100.0F), 0.0F);
  EXPECT_TRUE(std::isinf(exponential(89.0F)));
  EXPECT_TRUE(std::isnan(exponential(NAN)));
}

TEST(Network, ATransformerBlockIsTheGoldenOne) {
  std::cout << "seed " << seed() << " (FIRSTLIGHT_SEED)\n";
  std::mt19937_64 random(seed());
  ReferenceEngine reference;
  for (int i = 0; i < 12; ++i) {
    TransformerPlan plan;
    plan.heads = 1 + random() % 4;
    plan.width = plan.heads * (1 + random() % 12);
    plan.tokens = 1 + random() % 24;
    plan.hidden = 1 + random() % 60;
    plan.causal = random() % 2 == 0;
    plan.relu = random() % 2 == 0;
    plan.seed = static_cast<std::uint32_t>(random());
    Products products(reference, arithmetic::Format::bf16, {});
    expect_same(transformer_block(plan, products), golden_block(plan));
    if (HasFatalFailure()) return;
  }
}

TEST(Network, ATransformerBlockRunsOnTheEngine) {
  PlannedEngine engine;
  Products products(engine, arithmetic::Format::bf16, {});
  const TransformerPlan plan;
  expect_same(transformer_block(plan, products), golden_block(plan));
  EXPECT_EQ(products.record().size(), 3 + 2 * plan.heads + 3);
}

TEST(Network, TrainingIsTheGoldenOne) {
  std::mt19937_64 random(seed() + 1);
  ReferenceEngine reference;
  for (int i = 0; i < 6; ++i) {
    PerceptronPlan plan;
    plan.inputs = 1 + random() % 24;
    plan.hidden = 1 + random() % 40;
    plan.outputs = 1 + random() % 12;
    plan.batch = 1 + random() % 40;
    plan.seed = static_cast<std::uint32_t>(random());
    ASSERT_EQ(losses(plan, 5, reference), golden_losses(plan, 5)) << "case " << i;
  }
}

TEST(Network, TwentyStepsOfTrainingLearnOnTheEngine) {
  PlannedEngine engine;
  const PerceptronPlan plan;
  const std::vector<float> found = losses(plan, 20, engine);
  EXPECT_EQ(found, golden_losses(plan, 20));
  std::cout << "  loss " << found.front() << " to " << found.back() << "\n";
  EXPECT_LT(found.back(), found.front() / 4);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_LT(found[i], found[i - 1]) << "step " << i;
}

TEST(Network, RefusesWhatIsNone) {
  ReferenceEngine reference;
  Products products(reference, arithmetic::Format::bf16, {});
  TransformerPlan odd;
  odd.heads = 3;
  EXPECT_THROW(transformer_block(odd, products), std::invalid_argument);
  PerceptronPlan empty;
  empty.batch = 0;
  EXPECT_THROW(Perceptron(empty, products), std::invalid_argument);
}

}  // namespace
}  // namespace firstlight::network
