#include "tb/golden/secded/secded.h"

#include <gtest/gtest.h>

#include "tb/blocks/dice.h"
#include "tb/blocks/mem/mem_bench.h"

namespace tb::blocks::mem {
namespace {

using golden::Codeword;

golden::Decoded decode_in_rtl(Codeword word) {
  auto& dut = bench().clock.dut();
  dut.code_data_i = word.data;
  dut.code_check_i = word.check;
  dut.eval();
  return {dut.decoded_data_o, dut.decoded_syndrome_o, dut.decoded_corrected_o != 0, dut.decoded_uncorrected_o != 0};
}

Codeword encode_in_rtl(std::uint64_t data) {
  auto& dut = bench().clock.dut();
  dut.code_data_i = data;
  dut.eval();
  return {data, dut.encoded_check_o};
}

void expect_same(Codeword word) {
  const auto rtl = decode_in_rtl(word);
  const auto reference = golden::secded_decode(word);
  ASSERT_EQ(rtl.data, reference.data);
  ASSERT_EQ(rtl.syndrome, reference.syndrome);
  ASSERT_EQ(rtl.corrected, reference.corrected);
  ASSERT_EQ(rtl.uncorrected, reference.uncorrected);
}

class Secded : public testing::Test {
 protected:
  Dice dice{seed()};
};

// The code itself: distinct odd columns are what makes single errors correctable and double errors detectable.
TEST_F(Secded, ColumnsAreDistinctAndOdd) {
  std::vector<bool> seen(256, false);
  for (unsigned i = 0; i < 72; ++i) {
    const unsigned column = golden::secded_column(i);
    EXPECT_EQ(__builtin_popcount(column) % 2, 1) << i;
    EXPECT_FALSE(seen.at(column)) << i;
    seen.at(column) = true;
  }
}

TEST_F(Secded, EncodesAsTheReference) {
  for (unsigned i = 0; i < 64; ++i) ASSERT_EQ(encode_in_rtl(1ULL << i), golden::secded_encode(1ULL << i)) << i;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t data = dice.bits();
    ASSERT_EQ(encode_in_rtl(data), golden::secded_encode(data)) << std::hex << data;
    expect_same(encode_in_rtl(data));
  }
}

TEST_F(Secded, CorrectsEverySingleError) {
  for (int round = 0; round < 100; ++round) {
    const std::uint64_t data = dice.bits();
    for (unsigned i = 0; i < 72; ++i) {
      const Codeword word = encode_in_rtl(data).flipped(i);
      const auto decoded = decode_in_rtl(word);
      ASSERT_EQ(decoded.data, data) << "bit " << i;
      ASSERT_TRUE(decoded.corrected && !decoded.uncorrected) << "bit " << i;
      ASSERT_EQ(decoded.syndrome, golden::secded_column(i)) << "bit " << i;
    }
  }
}

TEST_F(Secded, DetectsEveryDoubleError) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t data = dice.bits();
    unsigned pairs = 0;
    for (unsigned i = 0; i < 72; ++i)
      for (unsigned j = i + 1; j < 72; ++j, ++pairs) {
        const Codeword word = encode_in_rtl(data).flipped(i).flipped(j);
        const auto decoded = decode_in_rtl(word);
        ASSERT_TRUE(decoded.uncorrected && !decoded.corrected) << "bits " << i << ", " << j;
        expect_same(word);
      }
    EXPECT_EQ(pairs, 2556U);
  }
}

TEST_F(Secded, DecodesAnythingAsTheReference) {
  for (int i = 0; i < 5000; ++i) expect_same({dice.bits(), static_cast<std::uint8_t>(dice.bits())});
}

}  // namespace
}  // namespace tb::blocks::mem
