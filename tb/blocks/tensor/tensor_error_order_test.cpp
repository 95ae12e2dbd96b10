// Several things wrong at once: which of them is reported must not depend on when each was met.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "tb/blocks/tensor/random_program.h"
#include "tb/blocks/tensor/tensor_bench.h"
#include "tests/support/random_part.h"

namespace tb::blocks::tensor {
namespace {

using golden::tensor::element_bytes;
using golden::tensor::Error;

class TensorErrorOrder : public testing::Test {
 protected:
  void SetUp() override {
    bench.restart(4500);
    bench.carry_out(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  }
  /// All of a bank's entries set, but one column of one.
  void set_all_but(unsigned entry, unsigned column) {
    bench.carry_out(make(Opcode::kMultiply, 0, 128, rows, cols, 1024));
    auto store = make(Opcode::kStore, 0, 1, 0, column + 1, 8192);
    store.entry = entry;
    store.release = true;
    bench.carry_out(store);
    if (column == 0) return;
    auto again = make(Opcode::kMultiply, 0, 1, rows, column, 1024);
    again.entry = entry;
    bench.carry_out(again);
  }
  /// What is reported is what the model finds, and that is `code`.
  void expect(const Instruction& i, ErrorCode code, std::uint32_t detail) {
    TensorModel foresight = bench.model();
    EXPECT_EQ(foresight.execute(i), (Error{code, i.tag, detail}));
    ASSERT_NO_FATAL_FAILURE(bench.expect_error(i));
  }
  static std::uint32_t unset(unsigned entry, unsigned column) { return entry << 8U | column; }

  TensorBench& bench = TensorBench::instance();
  unsigned rows = bench.shape().rows;
  unsigned cols = bench.shape().cols;
};

TEST_F(TensorErrorOrder, AStoreNamesAnUnsetEntryBeforeItsFactors) {
  for (const unsigned bad : {0U, cols - 1})
    for (const unsigned entry : {0U, 1U, 63U, 127U}) {
      SCOPED_TRACE(testing::Message() << "column " << bad << ", entry " << entry);
      set_all_but(entry, cols - 1);
      bench.spoil(bad, 100);
      auto store = make(Opcode::kStore, 2, 128, 0, cols, 4096);
      store.scale = true;
      store.params = 800;
      store.tag = entry + 1;
      expect(store, ErrorCode::kAccumulatorUnset, unset(entry, cols - 1));
      bench.set_word(bad, 100, 0);
    }
  bench.expect_everything();
}

TEST_F(TensorErrorOrder, AStoreNamesAnUnsetEntryBeforeAWordWrittenInPart) {
  for (const unsigned entry : {0U, 1U, 62U, 126U}) {
    set_all_but(entry, 0);
    bench.spoil(cols - 1, 512 + 31);
    bench.spoil(cols - 1, 512 + entry / 4);
    // The last of the words has three elements.
    expect(make(Opcode::kStore, 2, 127, 0, cols, 4096), ErrorCode::kAccumulatorUnset, unset(entry, 0));
    bench.set_word(cols - 1, 512 + 31, 0);
    bench.set_word(cols - 1, 512 + entry / 4, 0);
  }
  bench.expect_everything();
}

TEST_F(TensorErrorOrder, AProductNamesAnUnsetEntryBeforeAMovingWord) {
  for (const unsigned row : {0U, 1U, rows - 1})
    for (const unsigned word : {0U, 31U, 63U})
      for (const unsigned entry : {0U, 1U, 62U, 126U, 127U}) {
        SCOPED_TRACE(testing::Message() << "row " << row << ", word " << word << ", entry " << entry);
        set_all_but(entry, 1);
        bench.spoil(row, 128 + word);
        auto add = make(Opcode::kMultiply, 0, 128, rows, cols, 1024);
        add.accumulate = true;
        add.tag = entry;
        expect(add, ErrorCode::kAccumulatorUnset, unset(entry, 1));
        bench.set_word(row, 128 + word, 0);
      }
  bench.expect_everything();
}

TEST_F(TensorErrorOrder, InDoubleRowModeToo) {
  auto load = make(Opcode::kLoad, 3, 0, 2 * rows, cols, 0);
  load.double_row = true;
  for (const unsigned entry : {0U, 9U, 19U}) {
    bench.carry_out(make(Opcode::kLoad, 0, 0, rows, cols, 0));
    set_all_but(entry, 0);
    bench.carry_out(load);
    bench.spoil(rows - 1, 128);
    auto add = make(Opcode::kMultiply, 3, 20, 2 * rows, cols, 1024);
    add.double_row = add.accumulate = true;
    expect(add, ErrorCode::kAccumulatorUnset, unset(entry, 0));
    bench.set_word(rows - 1, 128, 0);
  }
  bench.expect_everything();
}

TEST_F(TensorErrorOrder, OfSeveralWordsTheLowestPartitionIsNamedAndOfItThatTheLowestWord) {
  // The last row meets its word long before row 0 meets one.
  bench.spoil(rows - 1, 128);
  bench.spoil(1, 128 + 50);
  bench.spoil(1, 128 + 60);
  expect(make(Opcode::kMultiply, 0, 128, rows, cols, 1024), ErrorCode::kMemoryError, 1U << 16U | (128 + 50));
  bench.spoil(rows - 1, 300);
  bench.spoil(0, 301);
  expect(make(Opcode::kLoad, 0, 0, rows, cols, 2400), ErrorCode::kMemoryError, 301);
  bench.carry_out(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  bench.carry_out(make(Opcode::kMultiply, 0, 128, rows, cols, 3072));
  // A word that is written in part comes after all factors.
  bench.spoil(cols - 1, 400);
  bench.spoil(0, 512);
  auto store = make(Opcode::kStore, 2, 3, 0, cols, 4096);
  store.bias = true;
  store.params = 3200;
  expect(store, ErrorCode::kMemoryError, 512);
  for (const auto& [partition, word] :
       {std::pair{rows - 1, 128U}, {1U, 178U}, {1U, 188U}, {rows - 1, 300U}, {0U, 301U}, {cols - 1, 400U}, {0U, 512U}})
    bench.set_word(partition, word, 0);
  bench.expect_everything();
}

TEST_F(TensorErrorOrder, OfSeveralProductsUnderWayTheFirstInTheProgramIsNamed) {
  for (const unsigned n : {1U, 2U, 20U, 128U}) {
    SCOPED_TRACE(n);
    bench.carry_out(make(Opcode::kMultiply, 0, 128, rows, cols, 2048));
    bench.spoil(rows - 1, 128 + (n - 1) / 2);
    auto first = make(Opcode::kMultiply, 0, n, rows, cols, 1024);
    first.tag = 1;
    auto second = make(Opcode::kMultiply, 0, n, rows, cols, 2048);
    second.abank = 3;  // unset
    second.accumulate = true;
    second.tag = 2;
    auto third = first;
    third.sbank = 1;  // unset
    third.tag = 3;
    const auto error = bench.model().execute(first);
    ASSERT_TRUE(error);
    for (const Instruction& i : {first, second, third}) bench.instructions.push(i);
    ASSERT_NO_FATAL_FAILURE(bench.expect_reported(*error));
    bench.clear_error();
    // And the second before the third.
    bench.set_word(rows - 1, 128 + (n - 1) / 2, 0);
    const auto next = bench.model().execute(second);
    ASSERT_TRUE(next);
    for (const Instruction& i : {second, third}) bench.instructions.push(i);
    ASSERT_NO_FATAL_FAILURE(bench.expect_reported(*next));
    bench.clear_error();
  }
}

TEST_F(TensorErrorOrder, AnInstructionsOwnSignalComesLast) {
  const auto fill = [this] {
    for (unsigned i = 0; i < 255; ++i) bench.registers.write("tensor.signal", 9);
  };
  bench.spoil(rows - 1, 128);
  bench.spoil(0, 100);
  auto load = make(Opcode::kLoad, 0, 0, rows, cols, 1024);
  auto multiply = make(Opcode::kMultiply, 0, 2, rows, cols, 1024);
  auto store = make(Opcode::kStore, 0, 2, 0, cols, 4096);
  store.scale = true;
  store.params = 800;
  for (Instruction i : {load, multiply, store}) {
    i.signal = true;
    i.signal_sem = 9;
    fill();
    ASSERT_NO_FATAL_FAILURE(bench.expect_error(i)) << golden::tensor::describe(i);
    EXPECT_EQ(bench.registers.read("tensor.semaphores[9]"), 0U) << "cleared";
  }
  bench.set_word(rows - 1, 128, 0);
  bench.set_word(0, 100, 0);
  bench.expect_everything();
}

/// Adds to, or stores, what may not be set, and makes some of its operands' words unreadable.
void make_wrong(TensorBench& bench, Instruction& i, std::vector<std::pair<unsigned, unsigned>>& spoiled) {
  Dice& dice = bench.dice();
  const auto [rows, cols] = bench.shape();
  if (i.is(Opcode::kTranspose)) return;  // reads no words, and its entries are all set by it
  if (i.is(Opcode::kMultiply) && dice.coin()) i.accumulate = true;
  if (i.is(Opcode::kStore) && dice.coin()) {
    i.m = cols;
    i.n = std::min(i.n + dice.below(4), 128 - i.entry);
  }
  const unsigned elements = (i.is(Opcode::kLoad) ? i.m : i.n) * (i.double_row ? 2 : 1);
  const unsigned words = (elements * element_bytes(i.dtype) + 7) / 8;
  for (unsigned count = dice.below(4); count > 0; --count) {
    const bool params = i.is(Opcode::kStore) && dice.coin();
    const unsigned partition = dice.below(i.is(Opcode::kStore) ? cols : rows);
    const unsigned word = params ? i.params / 8 : i.address / 8 + dice.below(words);
    if (word >= golden::tensor::kPartitionWords) continue;
    bench.spoil(partition, word);
    spoiled.emplace_back(partition, word);
  }
}

TEST_F(TensorErrorOrder, RandomInstructionsWithSeveralThingsWrong) {
  RandomProgram draws(bench.shape(), bench.dice());
  bench.bus.disturb(true, bench.dice().bits());
  const std::uint64_t rounds = firstlight::test::cases(300);
  std::array<unsigned, 10> seen{};
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Instruction i = draws.next();
    std::vector<std::pair<unsigned, unsigned>> spoiled;
    make_wrong(bench, i, spoiled);
    if (golden::tensor::check(bench.shape(), i)) continue;
    TensorModel foresight = bench.model();
    const auto error = foresight.execute(i);
    ++seen.at(error ? static_cast<std::size_t>(error->code) : 0);
    ASSERT_NO_FATAL_FAILURE(bench.carry_out_or_expect_error(i)) << round << ": " << golden::tensor::describe(i);
    ASSERT_FALSE(HasNonfatalFailure()) << round << ": " << golden::tensor::describe(i);
    for (const auto& [partition, word] : spoiled) bench.set_word(partition, word, bench.dice().bits());
  }
  std::cout << "  right " << seen[0] << ", unset entries " << seen[6] << ", unreadable words " << seen[8] << "\n";
  EXPECT_GT(std::min({seen[0], seen[6], seen[8]}), 0U);
  bench.bus.disturb(false, 1);
  bench.expect_everything();
}

}  // namespace
}  // namespace tb::blocks::tensor
