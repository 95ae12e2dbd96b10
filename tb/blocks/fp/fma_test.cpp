#include "tb/golden/fp/fma.h"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <deque>
#include <iostream>

#include "tb/blocks/block_bench.h"
#include "tb/blocks/fp/operands.h"
#include "tb/blocks/fp/trial.h"

namespace tb::blocks::fp {
namespace {

/// Operands in, results out, in order: with bubbles and stalls by chance when `dice` is given.
class Stream {
 public:
  Stream(FpModel& model, Dice* dice) : model_(model), dice_(dice) {}

  testing::AssertionResult put(const FmaOperands& operands) {
    while (dice_ != nullptr && dice_->one_in(8)) {
      if (auto outcome = clock(std::nullopt); !outcome) return outcome;
    }
    waiting_.push_back(operands);
    return clock(operands);
  }
  testing::AssertionResult finish() {
    for (int i = 0; i < 100 && !waiting_.empty(); ++i)
      if (auto outcome = clock(std::nullopt); !outcome) return outcome;
    if (waiting_.empty()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << waiting_.size() << " results never came, the first of "
                                       << fma_line(waiting_[0]);
  }

 private:
  testing::AssertionResult clock(const std::optional<FmaOperands>& operands) {
    while (dice_ != nullptr && dice_->one_in(8)) {
      // Nothing may move, whatever the inputs say.
      const auto shown = model_.clock_fma(false, FmaOperands{dice_->word(), dice_->word(), dice_->word()});
      if (shown.has_value() != last_.has_value() || (shown && !(*shown == *last_)))
        return testing::AssertionFailure() << "the output changed while the pipeline was held; --seed " << seed();
    }
    last_ = model_.clock_fma(true, operands);
    if (!last_) return testing::AssertionSuccess();
    if (waiting_.empty())
      return testing::AssertionFailure() << "a result that no operands asked for; --seed " << seed();
    const FmaOperands x = waiting_.front();
    waiting_.pop_front();
    const Result golden = golden::fp::fma(x.a, x.b, x.c);
    if (*last_ == golden) return testing::AssertionSuccess();
    return same(fma_line(x), *last_, golden);
  }

  FpModel& model_;
  Dice* dice_;
  std::deque<FmaOperands> waiting_;
  std::optional<Result> last_;
};

TEST_F(FpTest, FmaOfCorners) {
  static constexpr std::array<std::uint32_t, 26> kCorners{
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00ffffff,
      0x3f000000, 0xbf000000, 0x3f7fffff, 0x3f800000, 0xbf800000, 0x3f800001, 0xbf800001, 0x34000000, 0x7f000000,
      0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xffbfffff};
  Stream stream(model, nullptr);
  for (const auto a : kCorners)
    for (const auto b : kCorners)
      for (const auto c : kCorners) ASSERT_TRUE(stream.put({a, b, c}));
  ASSERT_TRUE(stream.finish());
}

TEST_F(FpTest, FmaAgainstTheHost) {
  ASSERT_TRUE(golden::fp::host_tells_tininess_after_rounding())
      << "this host's underflow flag is no reference: it tells tininess before rounding";
  Dice dice(seed());
  Operands operands(dice);
  Stream stream(model, &dice);
  const auto count = cases();
  const auto start = std::clock();
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto outcome = stream.put(operands.fma());
    ASSERT_TRUE(outcome) << "case " << i;
  }
  ASSERT_TRUE(stream.finish());
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const double millions = static_cast<double>(count) / 1e6;
  std::cout << fmt::format("{:.2f} million multiply-adds in {:.1f} s of processor time, {:.2f} million a second\n",
                           millions, took, millions / took);
}

TEST_F(FpTest, FmaLatencyIsThreeCycles) {
  EXPECT_FALSE(model.clock_fma(true, FmaOperands{0x3f800000, 0x3f800000, 0}));
  EXPECT_FALSE(model.clock_fma(true, std::nullopt));
  EXPECT_TRUE(model.clock_fma(true, std::nullopt));
  EXPECT_FALSE(model.clock_fma(true, std::nullopt));
}

TEST_F(FpTest, FmaForgetsWhatWasUnderWayInReset) {
  model.clock_fma(true, FmaOperands{0x3f800000, 0x3f800000, 0});
  model.reset();
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(model.clock_fma(true, std::nullopt));
}

}  // namespace
}  // namespace tb::blocks::fp
