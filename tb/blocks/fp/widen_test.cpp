#include "tb/golden/fp/widen.h"

#include "tb/blocks/block_bench.h"
#include "tb/blocks/fp/operands.h"
#include "tb/blocks/fp/trial.h"

namespace tb::blocks::fp {
namespace {

using golden::fp::Format;

void expect_widened(FpModel& model, Format format, std::uint32_t value) {
  const Result rtl = model.widen(static_cast<unsigned>(format), value);
  const Result golden = golden::fp::widen(format, value);
  if (!(rtl == golden)) FAIL() << same(widen_line(format, value), rtl, golden).message();
}

TEST_F(FpTest, WidenEveryCode) {
  for (const Format format : {Format::kFp16, Format::kBf16, Format::kFp8E4m3, Format::kFp8E5m2})
    for (std::uint32_t code = 0; code < 1U << golden::fp::info(format).bits; ++code) {
      expect_widened(model, format, code);
      if (HasFatalFailure()) return;
    }
}

TEST_F(FpTest, WidenFp32AndBitsThatHaveNoSay) {
  Dice dice(seed());
  Operands operands(dice);
  for (std::uint64_t i = 0; i < cases(20); ++i)
    for (const Format format : golden::fp::kFormats) {
      expect_widened(model, format, operands.number());
      if (HasFatalFailure()) return;
    }
}

TEST_F(FpTest, WidenFromNoFormatIsInvalid) {
  Dice dice(seed());
  for (unsigned format = 5; format < 8; ++format)
    for (int i = 0; i < 1000; ++i) {
      const Result result = model.widen(format, dice.word());
      ASSERT_EQ(result.bits, 0x7fc00000U);
      ASSERT_EQ(result.flags.bits(), 1U);
    }
}

}  // namespace
}  // namespace tb::blocks::fp
