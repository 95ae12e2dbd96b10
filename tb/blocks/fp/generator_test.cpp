#include "tb/golden/fp/generator.h"

#include "tb/blocks/block_bench.h"
#include "tb/blocks/dice.h"
#include "tb/blocks/fp/trial.h"

namespace tb::blocks::fp {
namespace {

TEST_F(FpTest, GeneratorBeginsWithOne) {
  EXPECT_EQ(model.generator_state(), 1U);
  EXPECT_EQ(model.generator_number(), golden::fp::Generator(1).next());
}

TEST_F(FpTest, GeneratorWritesReadsAndSteps) {
  Dice dice(seed());
  golden::fp::Generator golden;
  for (int i = 0; i < 20'000; ++i) {
    if (dice.one_in(16)) {
      const std::uint32_t state = dice.one_in(4) ? 0 : dice.word();
      golden.write(state);
      model.write_generator(state);
    } else {
      const std::uint32_t shown = model.generator_number();
      model.step_generator();
      ASSERT_EQ(shown, golden.next()) << "step " << i << ", --seed " << seed();
    }
    ASSERT_EQ(model.generator_state(), golden.state()) << "step " << i << ", --seed " << seed();
  }
}

TEST_F(FpTest, GeneratorStandsStillBetweenSteps) {
  model.write_generator(0x12345678);
  for (int i = 0; i < 10; ++i) model.clock_fma(true, FmaOperands{1, 2, 3});
  EXPECT_EQ(model.generator_state(), 0x12345678U);
}

}  // namespace
}  // namespace tb::blocks::fp
