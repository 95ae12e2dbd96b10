#pragma once

#include <array>
#include <cstdint>

#include "tb/golden/tensor/instruction.h"

namespace firstlight::tern::tensor {

/// The instruction that two words are: what the engine would read, not what the planner meant.
inline tb::golden::tensor::Instruction decode(const std::array<std::uint64_t, 2>& words) {
  const auto bits = [&](unsigned word, unsigned high, unsigned low) {
    return static_cast<unsigned>(words.at(word) >> low & ((std::uint64_t{1} << (high - low + 1)) - 1));
  };
  tb::golden::tensor::Instruction i;
  i.opcode = bits(0, 3, 0);
  i.dtype = bits(0, 6, 4);
  i.double_row = bits(0, 7, 7) != 0;
  i.wait_sem = bits(0, 11, 8);
  i.wait_count = bits(0, 15, 12);
  i.signal_sem = bits(0, 19, 16);
  i.signal = bits(0, 20, 20) != 0;
  i.sbank = bits(0, 21, 21);
  i.abank = bits(0, 23, 22);
  i.accumulate = bits(0, 24, 24) != 0;
  i.raw = bits(0, 25, 25) != 0;
  i.stochastic = bits(0, 26, 26) != 0;
  i.saturate = bits(0, 27, 27) != 0;
  i.scale = bits(0, 28, 28) != 0;
  i.bias = bits(0, 29, 29) != 0;
  i.relu = bits(0, 30, 30) != 0;
  i.release = bits(0, 31, 31) != 0;
  i.n = bits(0, 39, 32);
  i.k = bits(0, 45, 40);
  i.m = bits(0, 51, 46);
  i.entry = bits(0, 58, 52);
  i.zero = bits(0, 63, 59);
  i.address = bits(1, 15, 0);
  i.params = bits(1, 31, 16);
  i.tag = bits(1, 63, 32);
  return i;
}

}  // namespace firstlight::tern::tensor
