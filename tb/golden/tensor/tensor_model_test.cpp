#include "tb/golden/tensor/tensor_model.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tb::golden::tensor {
namespace {

std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
float float_of(std::uint64_t bits) {
  const auto low = static_cast<std::uint32_t>(bits);
  float value = 0;
  std::memcpy(&value, &low, sizeof value);
  return value;
}

Instruction make(Opcode opcode, unsigned n, unsigned k, unsigned m, unsigned address) {
  Instruction i;
  i.opcode = static_cast<unsigned>(opcode);
  i.n = n;
  i.k = k;
  i.m = m;
  i.address = address;
  return i;
}

class Engine : public testing::Test {
 protected:
  void put(unsigned partition, unsigned address, const std::vector<float>& values) {
    for (std::size_t i = 0; i < values.size(); i += 2) {
      const std::uint64_t high = i + 1 < values.size() ? bits_of(values[i + 1]) : 0;
      model.set_word(partition, address / 8 + static_cast<unsigned>(i / 2), high << 32U | bits_of(values[i]));
    }
  }
  float at(unsigned partition, unsigned address) const {
    return float_of(model.word(partition, address / 8) >> (8 * (address % 8)));
  }
  void run(const Instruction& i) { EXPECT_EQ(model.execute(i), std::nullopt); }

  TensorModel model{{4, 4}};
};

TEST_F(Engine, MultipliesByHand) {
  // moving (2 x 2) = {{1, 2}, {3, 4}} by rows n; stationary (k x m) = {{5, 6}, {7, 8}}.
  put(0, 0, {5, 6});
  put(1, 0, {7, 8});
  put(0, 64, {1, 3});
  put(1, 64, {2, 4});
  run(make(Opcode::kLoad, 0, 2, 2, 0));
  run(make(Opcode::kMultiply, 2, 2, 2, 64));
  run(make(Opcode::kStore, 2, 0, 2, 128));
  EXPECT_EQ(at(0, 128), 19);
  EXPECT_EQ(at(1, 128), 22);
  EXPECT_EQ(at(0, 132), 43);
  EXPECT_EQ(at(1, 132), 50);
  auto again = make(Opcode::kMultiply, 1, 2, 2, 64);
  again.accumulate = true;
  again.entry = 1;
  run(again);
  run(make(Opcode::kStore, 2, 0, 2, 128));
  EXPECT_EQ(at(0, 132), 62);
  EXPECT_EQ(model.flags(), 0U);
}

TEST_F(Engine, RoundsEachStepOfAChainByItself) {
  // 2^24 + 1 + 1 is 2^24 when each step is rounded, and 2^24 + 2 with a wider sum.
  for (unsigned r = 0; r < 3; ++r) put(r, 0, {1});
  put(0, 64, {16777216});
  put(1, 64, {1});
  put(2, 64, {1});
  run(make(Opcode::kLoad, 0, 3, 1, 0));
  run(make(Opcode::kMultiply, 1, 3, 1, 64));
  run(make(Opcode::kStore, 1, 0, 1, 128));
  EXPECT_EQ(at(0, 128), 16777216);
  EXPECT_EQ(model.flags(), 1U << 3U);
}

TEST_F(Engine, DoublesRowsInTheOrderOfTheChain) {
  // fp8_e4m3: 0x38 is 1, 0x40 is 2, 0x44 is 3, 0x48 is 4. k = 3: row 0 has steps 0 and 1, row 1 step 2 and one that is
  // left out.
  model.set_word(0, 0, 0x4038);  // column 0: 1, 2
  model.set_word(1, 0, 0x7f44);  // 3, and a NaN that takes no part
  model.set_word(0, 8, 0x3840);  // vector 0: 2, 1
  model.set_word(1, 8, 0x7f48);  // 4
  auto load = make(Opcode::kLoad, 0, 3, 1, 0);
  auto multiply = make(Opcode::kMultiply, 1, 3, 1, 64);
  load.dtype = multiply.dtype = 3;
  load.double_row = multiply.double_row = true;
  run(load);
  run(multiply);
  run(make(Opcode::kStore, 1, 0, 1, 128));
  EXPECT_EQ(at(0, 128), 1 * 2 + 2 * 1 + 3 * 4);
  EXPECT_EQ(model.flags(), 0U);
  multiply.double_row = false;
  EXPECT_EQ(model.execute(multiply), (Error{ErrorCode::kStationaryUnset, 0, 0}));
}

TEST_F(Engine, TransposesAnyBitsUntouched) {
  model.set_word(0, 0, 0x7f810001'ff800002);
  model.set_word(1, 0, 0x00000003'7f812345);
  auto load = make(Opcode::kLoad, 0, 2, 2, 0);
  load.raw = true;
  run(load);
  run(make(Opcode::kTranspose, 0, 2, 2, 0));
  auto store = make(Opcode::kStore, 2, 0, 2, 64);
  store.raw = true;
  run(store);
  EXPECT_EQ(model.word(0, 8), 0x7f812345'ff800002U);
  EXPECT_EQ(model.word(1, 8), 0x00000003'7f810001U);
  EXPECT_EQ(model.flags(), 0U);
}

TEST_F(Engine, StoresWithScaleBiasAndReluAndLeavesTheRestOfTheWord) {
  put(0, 0, {1, 1, 1, 1});
  put(0, 64, {-3, 2, 5});
  run(make(Opcode::kLoad, 0, 1, 1, 0));
  run(make(Opcode::kMultiply, 3, 1, 1, 64));
  put(0, 256, {2, 1});
  model.set_word(0, 16, ~std::uint64_t{0});
  auto store = make(Opcode::kStore, 3, 0, 1, 128);
  store.dtype = 2;
  store.scale = store.bias = store.relu = true;
  store.params = 256;
  store.release = true;
  run(store);
  // bf16 of 0, 5, 11.
  EXPECT_EQ(model.word(0, 16), 0xffff'4130'40a0'0000U);
  EXPECT_EQ(model.execute(store), (Error{ErrorCode::kAccumulatorUnset, 0, 0}));
}

TEST_F(Engine, NamesTheFirstEntryThatIsNotSet) {
  put(0, 0, {1, 1, 1, 1});
  run(make(Opcode::kLoad, 0, 1, 4, 0));
  auto multiply = make(Opcode::kMultiply, 2, 1, 2, 64);
  multiply.abank = 3;
  multiply.entry = 9;
  run(multiply);
  multiply.accumulate = true;
  multiply.m = 4;
  multiply.n = 3;
  multiply.tag = 77;
  EXPECT_EQ(model.execute(multiply), (Error{ErrorCode::kAccumulatorUnset, 77, 3U << 16U | 9U << 8U | 2U}));
}

TEST_F(Engine, TakesAnUnreadableWordForNan) {
  put(0, 0, {1});
  model.spoil(0, 8);
  run(make(Opcode::kLoad, 0, 1, 1, 0));
  EXPECT_EQ(model.execute(make(Opcode::kMultiply, 1, 1, 1, 64)), (Error{ErrorCode::kMemoryError, 0, 8}));
  run(make(Opcode::kStore, 1, 0, 1, 128));
  EXPECT_EQ(model.word(0, 16) & 0xffffffffU, 0x7fc00000U);
}

TEST_F(Engine, NamesTheLowestOfSeveralThingsThatAreWrong) {
  run(make(Opcode::kLoad, 0, 4, 4, 0));
  run(make(Opcode::kMultiply, 8, 4, 4, 64));
  auto release = make(Opcode::kStore, 1, 0, 3, 1024);
  release.entry = 5;
  release.release = true;
  run(release);
  const Error unset{ErrorCode::kAccumulatorUnset, 0, 5U << 8U};
  // Unreadable words before and behind the vector whose entry is not set, and in the last row.
  auto add = make(Opcode::kMultiply, 8, 4, 4, 64);
  add.accumulate = true;
  for (const unsigned word : {8U, 10U, 11U}) {
    model.spoil(3, word);
    EXPECT_EQ(model.execute(add), unset);
  }
  model.spoil(2, 11);
  EXPECT_EQ(model.execute(make(Opcode::kMultiply, 8, 4, 4, 64)), (Error{ErrorCode::kMemoryError, 0, 2U << 16U | 11U}));
  EXPECT_EQ(model.execute(make(Opcode::kLoad, 0, 4, 2, 88)), (Error{ErrorCode::kMemoryError, 0, 2U << 16U | 11U}));
  // Factors, and a word that is written in part.
  run(release);
  auto store = make(Opcode::kStore, 7, 0, 4, 1024);
  store.scale = true;
  store.params = 64;
  model.spoil(2, 1024 / 8 + 3);
  EXPECT_EQ(model.execute(store), unset);
  store.n = 5;
  EXPECT_EQ(model.execute(store), (Error{ErrorCode::kMemoryError, 0, 3U << 16U | 8U}));
}

struct Wrong {
  const char* what;
  void (*spoil)(Instruction&);
  ErrorCode code;
};

class Illegal : public testing::TestWithParam<Wrong> {};

TEST_P(Illegal, IsNamed) {
  auto i = make(Opcode::kMultiply, 4, 4, 4, 64);
  ASSERT_EQ(check({4, 4}, i), std::nullopt);
  GetParam().spoil(i);
  EXPECT_EQ(check({4, 4}, i), GetParam().code) << GetParam().what;
}

INSTANTIATE_TEST_SUITE_P(
    Each, Illegal,
    testing::Values(Wrong{"opcode 0", [](Instruction& i) { i.opcode = 0; }, ErrorCode::kBadOpcode},
                    Wrong{"opcode 6", [](Instruction& i) { i.opcode = 6; }, ErrorCode::kBadOpcode},
                    Wrong{"a bit that must be zero", [](Instruction& i) { i.zero = 16; }, ErrorCode::kBadOpcode},
                    Wrong{"dtype 5", [](Instruction& i) { i.dtype = 5; }, ErrorCode::kBadDtype},
                    Wrong{"double bf16", [](Instruction& i) { i.dtype = 2, i.double_row = true; },
                          ErrorCode::kBadDtype},
                    Wrong{"n 129", [](Instruction& i) { i.n = 129; }, ErrorCode::kBadShape},
                    Wrong{"k 5", [](Instruction& i) { i.k = 5; }, ErrorCode::kBadShape},
                    Wrong{"m 0", [](Instruction& i) { i.m = 0; }, ErrorCode::kBadShape},
                    Wrong{"past the bank", [](Instruction& i) { i.entry = 125; }, ErrorCode::kBadShape},
                    Wrong{"unaligned", [](Instruction& i) { i.address = 4; }, ErrorCode::kBadAddress},
                    Wrong{"past the partition", [](Instruction& i) { i.address = 16376; }, ErrorCode::kBadAddress}));

TEST(Encoding, PutsEachFieldWhereTheSpecificationHasIt) {
  Instruction i = make(Opcode::kStore, 128, 33, 17, 0x3ff8);
  i.dtype = 4;
  i.signal = i.release = true;
  i.signal_sem = 0xa;
  i.wait_count = 0xc;
  i.entry = 0x55;
  i.params = 0x1238;
  i.tag = 0xdeadbeef;
  const auto words = encode(i);
  EXPECT_EQ(words[0], 0x801ac043U);
  EXPECT_EQ(words[1], 128U | 33U << 8U | 17U << 14U | 0x55U << 20U);
  EXPECT_EQ(words[2], 0x12383ff8U);
  EXPECT_EQ(words[3], 0xdeadbeefU);
}

}  // namespace
}  // namespace tb::golden::tensor
