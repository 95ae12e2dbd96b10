#include <fmt/format.h>

#include <cmath>
#include <iostream>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/fp/operands.h"
#include "tb/blocks/fp/trial.h"
#include "tb/golden/fp/generator.h"

namespace tb::blocks::fp {
namespace {

using golden::fp::Format;
using golden::fp::Generator;

constexpr double kWhole = 4294967296.0;
/// Beyond it lies a normal variable once in 1.9e9.
constexpr double kBand = 6.1;

/// How often a sum of independent yes-or-no trials of known chances came out yes, in standard deviations from its mean.
class Score {
 public:
  void add(double chance, bool yes) {
    excess_ += (yes ? 1.0 : 0.0) - chance;
    variance_ += chance * (1.0 - chance);
  }
  double z() const { return excess_ / std::sqrt(variance_); }

 private:
  double excess_ = 0;
  double variance_ = 0;
};

class Stochastic : public FpTest, public testing::WithParamInterface<Format> {
 protected:
  /// A finite number of a random place between two neighbours of the target; not 0.
  std::uint32_t between() {
    for (;;) {
      const std::uint32_t value = operands_.near(GetParam()) & 0x7fffffff;
      if (value < 0x7f800000 && golden::fp::rounding_fraction(GetParam(), value) != 0 && !overflows(value))
        return value;
    }
  }
  bool overflows(std::uint32_t value) { return rounded(value, 0).flags.overflow; }
  Result rounded(std::uint32_t value, std::uint32_t random, Rounding rounding = Rounding::kStochastic) {
    return model.narrow(static_cast<unsigned>(GetParam()), rounding, Overflow::kInfinity, value, random);
  }
  /// The RTL's generator drives the RTL's rounding.
  Score score(std::uint64_t count, Rounding rounding) {
    Score score;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t value = between();
      const std::uint32_t low = rounded(value, ~std::uint32_t{0}).bits;
      const Result result = rounded(value, model.generator_number(), rounding);
      model.step_generator();
      score.add(golden::fp::rounding_fraction(GetParam(), value) / kWhole, result.bits != low);
    }
    return score;
  }

  Dice dice_{seed()};
  Operands operands_{dice_};
};

TEST_P(Stochastic, GoesUpAsOftenAsTheFractionSays) {
  const auto state = dice_.word();
  model.write_generator(state);
  const auto count = cases(40);
  const double z = score(count, Rounding::kStochastic).z();
  std::cout << fmt::format("{}: {} numbers, generator from {:08x}: z = {:+.2f}\n", golden::fp::info(GetParam()).name,
                           count, state, z);
  EXPECT_LT(std::fabs(z), kBand);
}

/// One number many times: what the mean above would hide, a fraction that counts wrongly, shows here.
TEST_P(Stochastic, EachNumberByItself) {
  model.write_generator(dice_.word());
  for (int i = 0; i < 20; ++i) {
    const std::uint32_t value = between();
    const double chance = golden::fp::rounding_fraction(GetParam(), value) / kWhole;
    if (chance < 0.01 || chance > 0.99) continue;
    const std::uint32_t low = rounded(value, ~std::uint32_t{0}).bits;
    Score score;
    for (int trial = 0; trial < 5000; ++trial) {
      score.add(chance, rounded(value, model.generator_number()).bits != low);
      model.step_generator();
    }
    EXPECT_LT(std::fabs(score.z()), kBand) << fmt::format("{:08x}, goes up with {:.6f}", value, chance);
  }
}

/// The band is narrow enough to see a rounding that is not stochastic.
TEST_P(Stochastic, TheBandRefusesRoundingToNearest) {
  model.write_generator(dice_.word());
  Score score;
  const std::uint32_t value = [this] {
    for (;;) {
      const std::uint32_t candidate = between();
      const std::uint32_t f = golden::fp::rounding_fraction(GetParam(), candidate);
      if (f > 0x10000000 && f < 0x70000000) return candidate;
    }
  }();
  const std::uint32_t low = rounded(value, ~std::uint32_t{0}).bits;
  for (int trial = 0; trial < 5000; ++trial)
    score.add(golden::fp::rounding_fraction(GetParam(), value) / kWhole,
              rounded(value, 0, Rounding::kNearestEven).bits != low);
  EXPECT_GT(std::fabs(score.z()), kBand);
}

INSTANTIATE_TEST_SUITE_P(Formats, Stochastic,
                         testing::Values(Format::kFp16, Format::kBf16, Format::kFp8E4m3, Format::kFp8E5m2),
                         [](const auto& one) { return std::string(golden::fp::info(one.param).name); });

}  // namespace
}  // namespace tb::blocks::fp
