#include "lab/core/limit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace firstlight {
namespace {

TEST(Limit, BothEndsBelongToTheRange) {
  const Limit limit = Limit::around({0.85, Dimension::voltage}, 0.01);
  EXPECT_EQ(judge(0.84, limit), Verdict::pass);
  EXPECT_EQ(judge(0.86, limit), Verdict::pass);
  EXPECT_EQ(judge(std::nextafter(*limit.min, 0), limit), Verdict::fail);
  EXPECT_EQ(judge(std::nextafter(*limit.max, 1), limit), Verdict::fail);
}

TEST(Limit, MarginalIsInsideAndNextToAnEnd) {
  Limit limit = Limit::between({0, Dimension::none}, {10, Dimension::none});
  limit.marginal = 1;
  EXPECT_EQ(judge(-0.1, limit), Verdict::fail);
  EXPECT_EQ(judge(0, limit), Verdict::marginal);
  EXPECT_EQ(judge(0.9, limit), Verdict::marginal);
  EXPECT_EQ(judge(1, limit), Verdict::pass);
  EXPECT_EQ(judge(9, limit), Verdict::pass);
  EXPECT_EQ(judge(9.1, limit), Verdict::marginal);
  EXPECT_EQ(judge(10.1, limit), Verdict::fail);
}

TEST(Limit, NoNumberFailsEvenWithoutEnds) {
  EXPECT_EQ(judge(std::nan(""), Limit{}), Verdict::fail);
  EXPECT_EQ(judge(1e300, Limit{}), Verdict::pass);
  EXPECT_EQ(judge(std::numeric_limits<double>::infinity(), Limit::at_most({1, Dimension::none})), Verdict::fail);
}

TEST(Limit, SpeaksItsUnits) {
  EXPECT_EQ(to_text(Limit::between({0.832, Dimension::voltage}, {0.868, Dimension::voltage})), "832 mV .. 868 mV");
  EXPECT_EQ(to_text(Limit::at_least({10, Dimension::flow})), ">= 10 L/min");
  EXPECT_EQ(to_text(Limit::at_most({1e-9, Dimension::bit_error_ratio})), "<= 1e-09");
  EXPECT_EQ(to_text(Limit::between({3, Dimension::none}, {3, Dimension::none})), "= 3");
}

TEST(Limit, MarginIsTheShareOfTheRange) {
  const Limit limit = Limit::between({0, Dimension::none}, {10, Dimension::none});
  EXPECT_DOUBLE_EQ(margin_of(5, limit), 0.5);
  EXPECT_DOUBLE_EQ(margin_of(9, limit), 0.1);
  EXPECT_DOUBLE_EQ(margin_of(12, limit), -0.2);
  EXPECT_DOUBLE_EQ(margin_of(80, Limit::at_most({100, Dimension::none})), 0.2);
  EXPECT_DOUBLE_EQ(margin_of(120, Limit::at_least({100, Dimension::none})), 0.2);
}

}  // namespace
}  // namespace firstlight
