#include "tb/golden/fp/post.h"

#include <fmt/format.h>

#include <deque>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/fp/operands.h"
#include "tb/blocks/fp/post_model.h"
#include "tb/blocks/fp/trial.h"

namespace tb::blocks::fp {
namespace {

using golden::fp::PostSteps;

std::string told(const PostSteps& steps, const PostModel::Number& number) {
  return fmt::format("{:08x}, scale {}, bias {}, {}then {}", number.value,
                     steps.scale ? fmt::format("{:08x}", number.scale) : "off",
                     steps.bias ? fmt::format("{:08x}", number.bias) : "off", steps.relu ? "ReLU, " : "",
                     narrow_line(steps.narrowing, 0, 0));
}

class Post : public testing::Test {
 protected:
  Post() : model_(testing::UnitTest::GetInstance()->current_test_info()->name(), seed()) {}

  PostSteps random_steps() {
    PostSteps steps;
    if (dice_.coin()) steps.scale = 0;
    if (dice_.coin()) steps.bias = 0;
    steps.relu = dice_.one_in(3);
    steps.narrowing = {golden::fp::kFormats.at(dice_.below(5)),
                       dice_.coin() ? Rounding::kNearestEven : Rounding::kStochastic,
                       dice_.coin() ? Overflow::kSaturate : Overflow::kInfinity};
    return steps;
  }
  /// Numbers whose results are often near the corners of the target.
  PostModel::Number random_number(const PostSteps& steps) {
    if (dice_.one_in(3)) {
      const FmaOperands x = operands_.fma();
      return {x.a, x.b, x.c};
    }
    const std::uint32_t one = 0x3f800000 ^ (dice_.coin() ? 0x80000000 : 0) ^ dice_.below(4);
    return {operands_.near(steps.narrowing.format), one, operands_.near(steps.narrowing.format)};
  }

  /// Numbers through one setting, with bubbles and stalls by chance.
  void stream(PostSteps steps, int count) {
    model_.configure(steps.scale.has_value(), steps.bias.has_value(), steps.relu, steps.narrowing);
    for (int i = 0; i < count || !waiting_.empty(); ++i) {
      ASSERT_LT(i, count + 1000) << "results never came; --seed " << seed();
      const bool enable = !dice_.one_in(6);
      std::optional<PostModel::Number> number;
      if (i < count && !dice_.one_in(6)) number = random_number(steps);
      if (enable && number) waiting_.push_back(*number);
      const auto shown = model_.clock(enable, number);
      if (enable && shown) check(steps, *shown);
      if (HasFatalFailure()) return;
    }
    ASSERT_EQ(model_.generator_state(), generator_.state()) << "--seed " << seed();
  }

  void check(PostSteps steps, const Result& rtl) {
    ASSERT_FALSE(waiting_.empty()) << "a result that nothing asked for; --seed " << seed();
    const PostModel::Number number = waiting_.front();
    waiting_.pop_front();
    if (steps.scale) steps.scale = number.scale;
    if (steps.bias) steps.bias = number.bias;
    const std::uint32_t state = generator_.state();
    const Result golden = golden::fp::post(steps, number.value, generator_);
    if (rtl == golden) return;
    FAIL() << same(told(steps, number), rtl, golden).message() << fmt::format("\n  generator {:08x}", state);
  }

  Dice dice_{seed()};
  Operands operands_{dice_};
  PostModel model_;
  golden::fp::Generator generator_;
  std::deque<PostModel::Number> waiting_;
};

TEST_F(Post, AgainstTheGoldenSteps) {
  const auto rounds = cases(20 * 50);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    if (dice_.one_in(8)) {
      const std::uint32_t state = dice_.one_in(4) ? 0 : dice_.word();
      model_.write_generator(state);
      generator_.write(state);
    }
    stream(random_steps(), 50);
    if (HasFatalFailure()) return;
  }
}

TEST_F(Post, ReluKeepsNanAndClearsMinusZero) {
  PostSteps steps;
  steps.relu = true;
  model_.configure(false, false, true, steps.narrowing);
  const auto through = [this](std::uint32_t value) {
    auto result = model_.clock(true, PostModel::Number{value, 0, 0});
    while (!result) result = model_.clock(true, std::nullopt);
    return result->bits;
  };
  EXPECT_EQ(through(0x80000000), 0U);
  EXPECT_EQ(through(0xff800000), 0U);
  EXPECT_EQ(through(0x80000001), 0U);
  EXPECT_EQ(through(0xffc00000), 0x7fc00000U);
  EXPECT_EQ(through(0x3f800000), 0x3f800000U);
}

}  // namespace
}  // namespace tb::blocks::fp
