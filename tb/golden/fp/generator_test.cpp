#include "tb/golden/fp/generator.h"

#include <gtest/gtest.h>

namespace tb::golden::fp {
namespace {

TEST(GoldenGenerator, SequenceOfThePaper) {
  // Marsaglia, "Xorshift RNGs", 2003: the first numbers from y = 2463534242 with shifts 13, 17, 5.
  Generator generator(2463534242U);
  EXPECT_EQ(generator.next(), 723471715U);
  EXPECT_EQ(generator.next(), 2497366906U);
  EXPECT_EQ(generator.next(), 2064144800U);
}

TEST(GoldenGenerator, ZeroBecomesOne) {
  Generator generator(7);
  generator.write(0);
  EXPECT_EQ(generator.state(), 1U);
  EXPECT_EQ(generator.next(), 270369U);
}

}  // namespace
}  // namespace tb::golden::fp
