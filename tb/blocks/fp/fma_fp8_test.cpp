#include "tb/blocks/block_bench.h"
#include "tb/blocks/fp/operands.h"
#include "tb/blocks/fp/trial.h"
#include "tb/golden/fp/fma.h"

namespace tb::blocks::fp {
namespace {

using golden::fp::Format;

/// Every pair of FP8 values of two formats, multiplied and added to zero and to a random accumulator.
class FmaOfFp8 : public FpTest, public testing::WithParamInterface<std::pair<Format, Format>> {};

TEST_P(FmaOfFp8, AllPairs) {
  const auto [left, right] = GetParam();
  Dice dice(seed());
  Operands operands(dice);
  for (unsigned a = 0; a < 256; ++a) {
    const std::uint32_t wide_a = model.widen(static_cast<unsigned>(left), a).bits;
    for (unsigned b = 0; b < 256; ++b) {
      const std::uint32_t wide_b = model.widen(static_cast<unsigned>(right), b).bits;
      for (const std::uint32_t c : {std::uint32_t{0}, operands.number()}) {
        const FmaOperands x{wide_a, wide_b, c};
        const Result rtl = model.fma(x);
        const Result golden = golden::fp::fma(x.a, x.b, x.c);
        if (!(rtl == golden)) FAIL() << same(fma_line(x), rtl, golden).message();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FmaOfFp8,
                         testing::Values(std::pair(Format::kFp8E4m3, Format::kFp8E4m3),
                                         std::pair(Format::kFp8E4m3, Format::kFp8E5m2),
                                         std::pair(Format::kFp8E5m2, Format::kFp8E4m3),
                                         std::pair(Format::kFp8E5m2, Format::kFp8E5m2)));

}  // namespace
}  // namespace tb::blocks::fp
