// Scrubbing: wrong bits go away by themselves, and nothing else changes.
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {
namespace {

class TensorScrub : public testing::Test {
 protected:
  void SetUp() override { bench.restart(9000); }
  /// Writes a word of which `wrong` bits are not what they should be.
  void spoil(unsigned partition, unsigned word, unsigned wrong) {
    const unsigned first = bench.dice().below(32);
    std::uint32_t mask = 1U << first;
    if (wrong == 2) mask |= 1U << ((first + 7) % 32);
    bench.registers.write("tensor.inject_mask[" + std::to_string(bench.dice().below(2)) + "]", mask);
    bench.registers.write("tensor.inject_arm", 1);
    bench.set_word(partition, word, bench.dice().bits());
    for (const char* half : {"tensor.inject_mask[0]", "tensor.inject_mask[1]"}) bench.registers.write(half, 0);
  }
  void pass() {
    const std::uint32_t before = bench.registers.read("tensor.scrub_passes");
    // The pass that is under way may be behind the words; the one after it is not.
    ASSERT_TRUE(
        bench.block.cycle_until([&] { return bench.registers.read("tensor.scrub_passes") >= before + 2; }, 200000));
  }
  TensorBench& bench = TensorBench::instance();
};

TEST_F(TensorScrub, SingleWrongBitsAreWrittenBackOnce) {
  std::set<std::pair<unsigned, unsigned>> words;
  for (unsigned i = 0; i < 60; ++i)
    words.insert({bench.dice().below(bench.shape().partitions()), bench.dice().below(golden::tensor::kPartitionWords)});
  for (const auto& [partition, word] : words) spoil(partition, word, 1);
  bench.registers.write("tensor.scrub", 4);
  ASSERT_NO_FATAL_FAILURE(pass());
  EXPECT_EQ(bench.registers.read("tensor.scrub_corrected"), words.size());
  EXPECT_EQ(bench.registers.read("tensor.scrub_uncorrected"), 0U);
  EXPECT_EQ(bench.registers.read("tensor.ecc_corrected"), 0U);
  bench.expect_everything();
  EXPECT_EQ(bench.registers.read("tensor.ecc_corrected"), 0U) << "the words are good again";
}

TEST_F(TensorScrub, GoesOnWhileTheEngineRests) {
  bench.block.cycle(3000);
  bench.registers.write("tensor.scrub", 2);
  ASSERT_NO_FATAL_FAILURE(pass());
  bench.block.cycle(3000);
  spoil(1, 77, 1);
  bench.block.cycle(12000);
  EXPECT_EQ(bench.registers.read("tensor.scrub_corrected"), 1U);
  bench.registers.write("tensor.scrub", 0);
  bench.block.cycle(10);
  const std::uint32_t passes = bench.registers.read("tensor.scrub_passes");
  bench.block.cycle(20000);
  EXPECT_EQ(bench.registers.read("tensor.scrub_passes"), passes) << "it was turned off";
}

TEST_F(TensorScrub, WhatCannotBeCorrectedStaysAsItIs) {
  spoil(0, 5, 2);
  bench.registers.write("tensor.scrub", 1);
  ASSERT_NO_FATAL_FAILURE(pass());
  EXPECT_EQ(bench.registers.read("tensor.scrub_corrected"), 0U);
  EXPECT_GE(bench.registers.read("tensor.scrub_uncorrected"), 1U);
  EXPECT_TRUE(bench.bus.read(0, 5).error);
  EXPECT_EQ(bench.registers.read("tensor.error"), 0U) << "no one has used it";
}

TEST_F(TensorScrub, WritesOfOthersAreNotOverwritten) {
  bench.registers.write("tensor.scrub", 1);
  for (unsigned i = 0; i < 400; ++i) {
    const unsigned partition = bench.dice().below(bench.shape().partitions());
    const unsigned word = bench.dice().below(golden::tensor::kPartitionWords);
    spoil(partition, word, 1);
    bench.block.cycle(bench.dice().below(40));
    bench.set_word(partition, word, bench.dice().bits());
  }
  ASSERT_NO_FATAL_FAILURE(pass());
  bench.expect_everything();
}

}  // namespace
}  // namespace tb::blocks::tensor
