#include "lab/steps/ber_looks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>

#include "tb/channel/serdes_channel.h"
#include "tests/support/random_part.h"

namespace firstlight::steps {
namespace {

constexpr double kTarget = 1e-6;
constexpr double kEndless = 1e18;

double poisson(std::uint64_t count, double mean) {
  const auto n = static_cast<double>(count);
  return std::exp(n * std::log(mean) - mean - std::lgamma(n + 1));
}

struct Coverage {
  double upper = 0;  // of all runs, that whose upper bound is not below the truth
  double lower = 0;
};

/// Of all runs that stop at the first look that decides, or at the last: worked out, not drawn.
Coverage coverage(double truth, const std::vector<BerLook>& looks) {
  constexpr double kNegligible = 1e-14;
  Coverage out;
  std::vector<double> open = {1};  // probability of so many errors in a run that goes on
  double bits = 0;
  for (const BerLook& look : looks) {
    const double mean = truth * (look.bits - bits);
    bits = look.bits;
    const auto reach = static_cast<std::size_t>(mean + 12 * std::sqrt(mean) + 30);
    std::vector<double> step(reach);
    for (std::size_t more = 0; more < reach; ++more) step[more] = poisson(more, mean);
    std::vector<double> next(open.size() + reach);
    for (std::size_t had = 0; had < open.size(); ++had)
      if (open[had] > kNegligible)
        for (std::size_t more = 0; more < reach; ++more) next[had + more] += open[had] * step[more];
    for (std::size_t errors = 0; errors < next.size(); ++errors) {
      if (next[errors] <= kNegligible) continue;
      const BerBounds bounds = ber_bounds(look, errors, static_cast<std::uint64_t>(look.bits));
      if (&look != &looks.back() && bounds.verdict(kTarget) == BerVerdict::open) continue;
      if (bounds.upper >= truth) out.upper += next[errors];
      if (bounds.lower <= truth) out.lower += next[errors];
      next[errors] = 0;
    }
    open = std::move(next);
  }
  return out;
}

/// Of all true ratios from a thirtieth of the target to thirty times of it.
Coverage worst_coverage(const std::vector<BerLook>& looks) {
  Coverage worst{1, 1};
  for (double truth = kTarget / 30; truth < kTarget * 30; truth *= 1.17) {
    const Coverage one = coverage(truth, looks);
    worst = {std::min(worst.upper, one.upper), std::min(worst.lower, one.lower)};
  }
  return worst;
}

TEST(BerLooks, WithoutErrorsTheLookInTheMiddleProvesTheTarget) {
  EXPECT_NEAR(error_free_bits(kTarget, 0.95), std::log(40) / kTarget, 1);
  for (const double confidence : {0.5, 0.9, 0.95, 0.9999}) {
    const double enough = error_free_bits(kTarget, confidence);
    for (const BerLook& look : ber_looks(kTarget, confidence, kEndless)) {
      const BerVerdict verdict = ber_bounds(look, 0, static_cast<std::uint64_t>(look.bits) + 1).verdict(kTarget);
      EXPECT_EQ(verdict, look.bits < enough ? BerVerdict::open : BerVerdict::below) << look.bits;
    }
  }
}

TEST(BerLooks, WhatMayGoWrongIsSharedOut) {
  for (const double target : {0.1, 1e-3, 1e-15}) {
    double shares = 0;
    double before = 0;
    for (const BerLook& look : ber_looks(target, 0.95, kEndless)) {
      shares += 1 - look.confidence;
      EXPECT_GT(look.bits, before);
      before = look.bits;
    }
    EXPECT_LE(shares, 0.05);
  }
  EXPECT_EQ(ber_looks(kTarget, 0.95, kEndless).size(), 17U);
  EXPECT_EQ(ber_looks(kTarget, 0.95, error_free_bits(kTarget, 0.95)).size(), 11U);
  EXPECT_GE(ber_looks(0.1, 0.95, kEndless).front().bits, 30) << "not a handful of bits";
}

TEST(BerLooks, BoundsHoldAtTheConfidenceWhereverTheRunStops) {
  for (const double confidence : {0.8, 0.95}) {
    const Coverage worst = worst_coverage(ber_looks(kTarget, confidence, kEndless));
    EXPECT_GE(worst.upper, confidence);
    EXPECT_GE(worst.lower, confidence);
  }
}

// That the sum above can tell: the same looks with one and the same bound, as one would do it without thinking.
TEST(BerLooks, OneBoundTakenAgainAndAgainDoesNotHold) {
  std::vector<BerLook> looks = ber_looks(kTarget, 0.95, kEndless);
  for (BerLook& look : looks) look.confidence = 0.95;
  EXPECT_LT(worst_coverage(looks).upper, 0.93);
}

TEST(BerLooks, InNineteenOfTwentyRunsTheyCoverTheRatioOfAChannel) {
  constexpr unsigned kRuns = 200;
  constexpr double kQuick = 1e-4;
  std::cout << "seed " << test::seed() << " (FIRSTLIGHT_SEED)\n";
  std::mt19937_64 random(test::seed());
  // Near the target, where it depends on the errors when a run stops.
  std::uniform_real_distribution<double> decades(-0.3, 0.3);
  unsigned upper = 0;
  unsigned lower = 0;
  for (unsigned run = 0; run < kRuns; ++run) {
    const double truth = kQuick * std::pow(10, decades(random));
    tb::SerdesChannel channel(random());
    channel.set_bit_error_rate(0, truth);
    BerBounds bounds;
    for (const BerLook& look : ber_looks(kQuick, 0.95, kEndless)) {
      while (static_cast<double>(channel.cycles() * tb::SerdesChannel::bits_per_word) < look.bits)
        channel.exchange(0, 0);
      bounds = ber_bounds(look, channel.errors(0), channel.cycles() * tb::SerdesChannel::bits_per_word);
      if (bounds.verdict(kQuick) != BerVerdict::open) break;
    }
    upper += bounds.upper >= truth ? 1 : 0;
    lower += bounds.lower <= truth ? 1 : 0;
  }
  std::cout << "upper bounds cover the truth in " << upper << ", lower bounds in " << lower << " of 200 runs\n";
  EXPECT_GE(upper, kRuns * 95 / 100);
  EXPECT_GE(lower, kRuns * 95 / 100);
}

}  // namespace
}  // namespace firstlight::steps
