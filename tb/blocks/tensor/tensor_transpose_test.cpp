// Bits that are no numbers, on their way through the array by TRANSPOSE.
#include <gtest/gtest.h>

#include <vector>

#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {
namespace {

using golden::fp::Format;
using golden::tensor::element_bytes;

/// Of a format, with both signs: zero, the smallest and the largest of each kind of number, infinity, and NaN, quiet
/// and signalling, with several payloads.
std::vector<std::uint32_t> specials(unsigned dtype) {
  const auto& format = golden::fp::info(static_cast<Format>(dtype));
  const std::uint32_t fraction = (1U << format.fraction_bits) - 1;
  const std::uint32_t highest = format.sign_bit() - 1 - fraction;  // the exponent of infinity
  const std::uint32_t quiet = (fraction + 1) / 2;
  std::vector<std::uint32_t> codes{0, 1, fraction, fraction + 1, highest - 1};
  for (const std::uint32_t low :
       {0U, 1U, quiet - 1, quiet, quiet + 1, fraction & 0x55555555U, fraction & 0xaaaaaaaaU, fraction - 1, fraction})
    codes.push_back(highest | (low & fraction));
  const std::size_t positive = codes.size();
  for (std::size_t i = 0; i < positive; ++i) codes.push_back(codes[i] | format.sign_bit());
  return codes;
}

class TensorTranspose : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { bench.restart(5950); }

  /// Column `c` of row `r` in round `round`: each code comes to many places.
  std::uint32_t code(unsigned round, unsigned r, unsigned c) const {
    return codes.at((round * 5 + r * cols + c) % codes.size());
  }
  void put(unsigned round) {
    for (unsigned r = 0; r < rows; ++r) {
      std::vector<std::uint64_t> words((cols * bytes + 7) / 8);
      for (unsigned c = 0; c < cols; ++c)
        words.at(c * bytes / 8) |= std::uint64_t{code(round, r, c)} << (8 * (c * bytes % 8));
      bench.set_words(r, 0, words);
    }
  }
  void transpose(bool raw, unsigned to) {
    auto load = make(Opcode::kLoad, dtype, 0, rows, cols, 0);
    auto store = make(Opcode::kStore, to, rows, 0, cols, 512);
    load.raw = store.raw = raw;
    bench.carry_out(load);
    bench.carry_out(make(Opcode::kTranspose, 0, 0, rows, cols, 0));
    bench.carry_out(store);
    bench.expect_stored();
  }

  TensorBench& bench = TensorBench::instance();
  unsigned rows = bench.shape().rows;
  unsigned cols = bench.shape().cols;
  unsigned dtype = GetParam();
  unsigned bytes = element_bytes(dtype);
  std::vector<std::uint32_t> codes = specials(dtype);
};

TEST_P(TensorTranspose, LeavesEveryBitWithRaw) {
  for (unsigned round = 0; round < codes.size(); ++round) {
    put(round);
    ASSERT_NO_FATAL_FAILURE(transpose(true, dtype));
    const std::uint64_t mask = (std::uint64_t{1} << (8 * bytes)) - 1;
    for (unsigned c = 0; c < cols; ++c) {
      const auto words = bench.bus.read_words(c, 64, (rows * bytes + 7) / 8);
      for (unsigned r = 0; r < rows; ++r)
        ASSERT_EQ(words.at(r * bytes / 8) >> (8 * (r * bytes % 8)) & mask, code(round, r, c))
            << "round " << round << ", row " << r << ", column " << c;
    }
  }
  EXPECT_EQ(bench.registers.read("tensor.flags"), 0U);
}

TEST_P(TensorTranspose, WidensAndNarrowsAsTheModelWithoutRaw) {
  for (unsigned to = 0; to < golden::fp::kFormats.size(); ++to)
    for (unsigned round = 0; round < codes.size(); round += 3) {
      SCOPED_TRACE(testing::Message() << "to format " << to << ", round " << round);
      put(round);
      ASSERT_NO_FATAL_FAILURE(transpose(false, to));
      ASSERT_EQ(bench.registers.read("tensor.flags"), bench.model().flags());
    }
  bench.expect_everything();
}

TEST_P(TensorTranspose, ProductsAddToWhatWasTransposed) {
  put(0);
  auto load = make(Opcode::kLoad, dtype, 0, rows, cols, 0);
  bench.carry_out(load);
  bench.carry_out(make(Opcode::kTranspose, 0, 0, rows, cols, 0));
  auto add = make(Opcode::kMultiply, dtype, rows, rows, cols, 0);
  add.accumulate = true;
  bench.carry_out(add);
  for (const bool raw : {false, true}) {
    auto store = make(Opcode::kStore, 0, rows, 0, cols, 1024);
    store.raw = raw;
    bench.carry_out(store);
    bench.expect_stored();
  }
  bench.expect_everything();
}

INSTANTIATE_TEST_SUITE_P(Formats, TensorTranspose, testing::Range(0U, 5U), [](const auto& param) {
  return std::string(golden::fp::info(golden::fp::kFormats.at(param.param)).name);
});

}  // namespace
}  // namespace tb::blocks::tensor
