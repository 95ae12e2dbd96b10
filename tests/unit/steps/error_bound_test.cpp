#include "lab/steps/error_bound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tb/channel/serdes_channel.h"

namespace firstlight::steps {
namespace {

TEST(ErrorBound, WithoutErrorsItIsTheRuleOfThree) {
  EXPECT_NEAR(upper_error_bound(0, 1'000'000, 0.95) * 1e6, 2.9957, 1e-4);
  EXPECT_EQ(upper_error_bound(0, 0, 0.95), 1);
  EXPECT_EQ(upper_error_bound(100, 100, 0.95), 1) << "never more than all";
}

TEST(ErrorBound, CoversTheTruthAsOftenAsItSays) {
  // Exactly: the share of all outcomes of a Poisson count whose bound is not below the truth.
  constexpr std::uint64_t bits = 1'000'000'000;
  for (const double confidence : {0.5, 0.9, 0.95, 0.99})
    for (double mean = 0.05; mean < 200; mean *= 1.3) {
      double covered = 0;
      double probability = std::exp(-mean);
      for (std::uint64_t errors = 0; errors < 500; ++errors) {
        if (upper_error_bound(errors, bits, confidence) >= mean / bits) covered += probability;
        probability *= mean / static_cast<double>(errors + 1);
      }
      EXPECT_GE(covered, confidence - 1e-9) << "mean " << mean;
    }
}

TEST(ErrorBound, CoversTheRatioOfAChannelInNineteenOfTwentyRuns) {
  constexpr double ratio = 2e-5;
  constexpr unsigned runs = 200;
  constexpr unsigned cycles = 10'000;
  tb::SerdesChannel channel(11);
  channel.set_bit_error_rate(0, ratio);
  unsigned covered = 0;
  for (unsigned run = 0; run < runs; ++run) {
    const std::uint64_t before = channel.errors(0);
    for (unsigned i = 0; i < cycles; ++i) channel.exchange(0, 0);
    covered += upper_error_bound(channel.errors(0) - before, std::uint64_t{16} * cycles, 0.95) >= ratio ? 1 : 0;
  }
  EXPECT_GE(covered, runs * 95 / 100);
}

}  // namespace
}  // namespace firstlight::steps
