#include <gtest/gtest.h>

#include "tb/blocks/tensor/program_order.h"
#include "tb/blocks/tensor/random_program.h"
#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {
namespace {

using golden::tensor::Error;

class TensorError : public testing::Test {
 protected:
  void SetUp() override {
    bench.restart(4000);
    rows = bench.shape().rows;
    cols = bench.shape().cols;
  }
  void TearDown() override {
    if (!HasFatalFailure()) expect_usable();
  }

  /// Whatever happened before, a program gives the model's bits.
  void expect_usable() {
    bench.carry_out(make(Opcode::kLoad, 2, 0, rows, cols, 0));
    bench.carry_out(make(Opcode::kMultiply, 2, 16, rows, cols, 256));
    bench.carry_out(make(Opcode::kStore, 2, 16, 0, cols, 512));
    bench.expect_stored();
  }

  TensorBench& bench = TensorBench::instance();
  unsigned rows = 0;
  unsigned cols = 0;
};

/// Makes one thing wrong with a legal instruction.
void spoil_field(Instruction& i, Dice& dice) {
  switch (dice.below(10)) {
    case 0:
      i.opcode = dice.below(16);
      break;
    case 1:
      i.zero = 1U << dice.below(5);
      break;
    case 2:
      i.dtype = dice.below(8);
      break;
    case 3:
      i.double_row = !i.double_row;
      break;
    case 4:
      i.n = dice.below(256);
      break;
    case 5:
      i.k = dice.below(64);
      break;
    case 6:
      i.m = dice.below(64);
      break;
    case 7:
      i.entry = 127;
      break;
    case 8:
      i.address = dice.word() & 0xffffU;
      break;
    default:
      i.params = dice.word() & 0xffffU;
  }
}

TEST_F(TensorError, IllegalInstructionsAreNamedAndChangeNothing) {
  RandomProgram draws(bench.shape(), bench.dice());
  std::array<unsigned, 5> seen{};
  for (unsigned round = 0; round < 150; ++round) {
    Instruction i = draws.next();
    spoil_field(i, bench.dice());
    const auto code = golden::tensor::check(bench.shape(), i);
    if (!code) continue;
    ++seen.at(static_cast<std::size_t>(*code));
    ASSERT_NO_FATAL_FAILURE(bench.expect_error(i)) << golden::tensor::describe(i);
    ASSERT_FALSE(HasNonfatalFailure()) << golden::tensor::describe(i);
  }
  for (std::size_t code = 1; code < seen.size(); ++code) EXPECT_GT(seen.at(code), 0U) << "code " << code;
  bench.expect_everything();
}

TEST_F(TensorError, ProductsOfWhatNoLoadHasFilled) {
  auto load = make(Opcode::kLoad, 3, 0, rows - 1, cols - 1, 0);
  load.sbank = 1;
  bench.carry_out(load);
  auto multiply = make(Opcode::kMultiply, 3, 4, rows - 1, cols - 1, 256);
  multiply.tag = 0x12345678;
  bench.expect_error(multiply);  // bank 0
  multiply.sbank = 1;
  bench.carry_out(multiply);
  multiply.k = rows;
  bench.expect_error(multiply);
  multiply.k = 1;
  multiply.m = cols;
  bench.expect_error(multiply);
  multiply.m = 1;
  multiply.double_row = true;
  bench.expect_error(multiply);
  auto transpose = make(Opcode::kTranspose, 0, 0, rows, 1, 0);
  transpose.sbank = 1;
  bench.expect_error(transpose);
}

TEST_F(TensorError, AccumulatorsThatAreNotSet) {
  bench.carry_out(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  auto multiply = make(Opcode::kMultiply, 0, 3, rows, cols - 1, 256);
  multiply.abank = 2;
  multiply.entry = 60;
  bench.carry_out(multiply);
  // One column more, two entries more: what is set is added to, what is not stays unset.
  auto add = multiply;
  add.accumulate = true;
  add.m = cols;
  add.n = 5;
  add.tag = 99;
  bench.expect_error(add);
  auto store = make(Opcode::kStore, 1, 5, 0, cols, 512);
  store.abank = 2;
  store.entry = 59;
  store.stochastic = true;
  store.tag = 100;
  bench.expect_error(store);
  store.entry = 60;
  store.n = 3;
  store.m = cols - 1;
  store.release = true;
  bench.carry_out(store);
  bench.expect_error(store);
  bench.expect_everything();
}

TEST_F(TensorError, SemaphoresThatOverflow) {
  for (unsigned i = 0; i < 255; ++i) bench.registers.write("tensor.signal", 7);
  bench.block.cycle();
  EXPECT_EQ(bench.registers.read("tensor.semaphores[7]"), 255U);
  EXPECT_EQ(bench.registers.read("tensor.error"), 0U);
  bench.registers.write("tensor.signal", 7);
  bench.expect_reported({ErrorCode::kSemaphoreOverflow, 0, 7});
  bench.clear_error();
  EXPECT_EQ(bench.registers.read("tensor.semaphores[7]"), 0U);
  for (unsigned i = 0; i < 255; ++i) bench.registers.write("tensor.signal", 9);
  auto load = make(Opcode::kLoad, 0, 0, 1, 1, 0);
  load.signal = true;
  load.signal_sem = 9;
  load.tag = 5;
  bench.submit(load);
  bench.expect_reported({ErrorCode::kSemaphoreOverflow, 5, 9});
  bench.clear_error();
}

TEST_F(TensorError, SemaphoresThatAProductOrAStoreOverflows) {
  bench.carry_out(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  bench.carry_out(make(Opcode::kMultiply, 0, 4, rows, cols, 256));
  for (Instruction i : {make(Opcode::kMultiply, 0, 4, rows, cols, 256), make(Opcode::kStore, 0, 4, 0, cols, 512),
                        make(Opcode::kTranspose, 0, 0, rows, cols, 0)}) {
    for (unsigned count = 0; count < 255; ++count) bench.registers.write("tensor.signal", 11);
    i.signal = true;
    i.signal_sem = 11;
    i.tag = 40 + i.opcode;
    bench.submit(i);
    bench.expect_reported({ErrorCode::kSemaphoreOverflow, i.tag, 11});
    EXPECT_EQ(bench.registers.read("tensor.semaphores[11]"), 255U);
    bench.clear_error();
  }
  bench.expect_everything();
}

TEST_F(TensorError, AWordThatCannotBeReadIsNanInARawLoadToo) {
  bench.spoil(1, 0);
  auto load = make(Opcode::kLoad, 0, 0, rows, cols, 0);
  load.raw = true;
  load.tag = 6;
  bench.expect_error(load);
  bench.carry_out(make(Opcode::kTranspose, 0, 0, rows, cols, 0));
  auto store = make(Opcode::kStore, 0, rows, 0, cols, 512);
  store.raw = true;
  bench.carry_out(store);
  bench.expect_stored();
  EXPECT_EQ(bench.bus.read(0, 64).data >> 32U, 0x7fc00000U) << "row 1 of column 0";
  EXPECT_EQ(bench.bus.read(1, 64).data >> 32U, 0x7fc00000U);
  EXPECT_EQ(bench.registers.read("tensor.flags"), 0U);
  bench.set_word(1, 0, 0);
}

TEST_F(TensorError, AWordThatCannotBeReadIsNanInBothStepsOfADoubleRow) {
  // fp8_e4m3: ones, so that only the bad word gives NaN.
  for (unsigned p = 0; p < rows; ++p)
    for (unsigned w = 0; w < 4; ++w) bench.set_word(p, w, 0x3838383838383838);
  auto load = make(Opcode::kLoad, 3, 0, 2 * rows, cols, 0);
  load.double_row = true;
  load.tag = 7;
  bench.spoil(rows - 1, 0);
  bench.expect_error(load);
  // All steps, those before the bad row, and those up to its first.
  for (const unsigned k : {2 * rows, 2 * rows - 2, 2 * rows - 1}) {
    auto multiply = make(Opcode::kMultiply, 3, 1, k, cols, 16);
    multiply.double_row = true;
    bench.carry_out(multiply);
    bench.carry_out(make(Opcode::kStore, 0, 1, 0, cols, 512));
    bench.expect_stored();
    const auto got = static_cast<std::uint32_t>(bench.bus.read(0, 64).data);
    EXPECT_EQ(got == 0x7fc00000U, k > 2 * rows - 2) << k;
  }
  bench.set_word(rows - 1, 0, 0);
}

TEST_F(TensorError, WordsThatCannotBeRead) {
  // As a stationary operand.
  bench.spoil(1, 0, 3);
  EXPECT_TRUE(bench.bus.read(1, 0).error);
  auto load = make(Opcode::kLoad, 0, 0, rows, cols, 0);
  load.tag = 1;
  bench.expect_error(load);
  bench.carry_out(make(Opcode::kMultiply, 0, 4, rows, cols, 256));
  bench.carry_out(make(Opcode::kStore, 0, 4, 0, cols, 512));
  bench.expect_stored();
  // As a moving one, in the last row.
  bench.set_word(1, 0, 0x3f800000'3f800000);
  bench.carry_out(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  bench.spoil(rows - 1, 256 / 8 + 3, 0x80000001U);
  auto multiply = make(Opcode::kMultiply, 0, 20, rows, cols, 256);
  multiply.tag = 2;
  bench.expect_error(multiply);
  // As factor and addend.
  bench.spoil(cols - 1, 100, 6);
  auto store = make(Opcode::kStore, 0, 4, 0, cols, 512);
  store.bias = true;
  store.params = 800;
  store.tag = 3;
  bench.expect_error(store);
  // Where a word is written in part: it stays as it is, and is good again when it is written as a whole.
  bench.spoil(0, 130, 5);
  store = make(Opcode::kStore, 2, 3, 0, 1, 1040);
  store.tag = 4;
  bench.expect_error(store);
  EXPECT_TRUE(bench.bus.read(0, 130).error);
  EXPECT_TRUE(bench.bus.write(0, 130, 0, 0x0f).error);
  store.n = 4;
  bench.carry_out(store);
  for (unsigned w = 0; w < bench.shape().rows; ++w) bench.set_word(rows - 1, 256 / 8 + 3, 0);
  bench.set_word(cols - 1, 100, 0);
  EXPECT_GT(bench.registers.read("tensor.ecc_uncorrected"), 5U);
  bench.expect_everything();
}

TEST_F(TensorError, SingleBitsAreCorrectedAndCounted) {
  bench.spoil(0, 0, 1U << 31U);
  bench.spoil(0, 32, 1);
  bench.registers.write("tensor.inject_check", 0x10);
  bench.spoil(1, 33, 0);
  const unsigned before = bench.registers.read("tensor.ecc_corrected");
  bench.carry_out(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  bench.carry_out(make(Opcode::kMultiply, 0, 4, rows, cols, 256));
  bench.carry_out(make(Opcode::kStore, 0, 4, 0, cols, 512));
  bench.expect_stored();
  EXPECT_EQ(bench.registers.read("tensor.ecc_corrected"), before + 3);
  EXPECT_EQ(bench.registers.read("tensor.ecc_uncorrected"), 0U);
}

TEST_F(TensorError, ClearEndsWhatIsUnderWayAndForgetsTheRest) {
  bench.carry_out(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  auto multiply = make(Opcode::kMultiply, 0, 128, rows, cols, 256);
  multiply.tag = 1;
  bench.submit(multiply);  // its effects are all there
  Instruction never = make(Opcode::kMultiply, 0, 128, rows, cols, 1024);
  never.wait_sem = 3;
  never.wait_count = 1;
  never.tag = 2;
  for (unsigned i = 0; i < 12; ++i) bench.instructions.push(never);
  bench.registers.write("tensor.signal", 5);
  bench.block.cycle(40);
  EXPECT_EQ(bench.registers.read("tensor.status.multiply_busy"), 1U);
  bench.clear_error();
  EXPECT_EQ(bench.registers.read("tensor.retired[1]"), 1U);
  EXPECT_EQ(bench.registers.read("tensor.semaphores[5]"), 0U);
  bench.carry_out(make(Opcode::kStore, 0, 128, 0, cols, 1024));
  bench.expect_stored();
}

TEST_F(TensorError, AnErrorStopsWhatUnitsHaveTakenAndNotBegun) {
  bench.carry_out(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  auto first = make(Opcode::kMultiply, 0, 128, rows, cols, 256);
  bench.submit(first);
  first.abank = 1;
  bench.instructions.push(first);                                      // behind the first
  bench.instructions.push(make(Opcode::kLoad, 0, 0, rows, cols, 64));  // waits for its bank
  bench.instructions.push(make(Opcode::kStore, 6, 1, 0, 1, 0));
  bench.expect_reported({ErrorCode::kBadDtype, 0, 0});
  bench.block.cycle(300);
  EXPECT_EQ(bench.counter("active"), 128U);
  bench.clear_error();
  bench.carry_out(make(Opcode::kMultiply, 0, 16, rows, cols, 512));
  bench.carry_out(make(Opcode::kStore, 0, 128, 0, cols, 1024));
  bench.expect_stored();
}

TEST_F(TensorError, AnErrorStopsWhatHasNotBegun) {
  bench.carry_out(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  auto wrong = make(Opcode::kMultiply, 7, 1, 1, 1, 0);
  wrong.tag = 8;
  bench.instructions.push(wrong);
  for (unsigned i = 0; i < 4; ++i) bench.instructions.push(make(Opcode::kMultiply, 0, 16, 1, 1, 0));
  bench.expect_reported({ErrorCode::kBadDtype, 8, 0});
  bench.block.cycle(200);
  EXPECT_EQ(bench.counter("active"), 0U);
  bench.clear_error();
}

}  // namespace
}  // namespace tb::blocks::tensor
