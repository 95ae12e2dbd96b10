#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace tb::golden::tensor {

/// docs/tensor.md, "Instructions".
enum class Opcode : std::uint8_t { kLoad = 1, kMultiply = 2, kStore = 3, kTranspose = 4, kHalt = 5 };

/// One instruction. Fields are as wide as those of the two words; `encode` cuts off what is above.
struct Instruction {
  unsigned opcode = 0;
  unsigned dtype = 0;
  bool double_row = false;
  unsigned wait_sem = 0;
  unsigned wait_count = 0;
  unsigned signal_sem = 0;
  bool signal = false;
  unsigned sbank = 0;
  unsigned abank = 0;
  bool accumulate = false;
  bool raw = false;
  bool stochastic = false;
  bool saturate = false;
  bool scale = false;
  bool bias = false;
  bool relu = false;
  bool release = false;
  unsigned n = 0;
  unsigned k = 0;
  unsigned m = 0;
  unsigned entry = 0;
  unsigned zero = 0;  ///< bits 63:59 of word 0
  unsigned address = 0;
  unsigned params = 0;
  std::uint32_t tag = 0;

  bool is(Opcode code) const { return opcode == static_cast<unsigned>(code); }
};

/// Lowest 32 bits first.
using InstructionWords = std::array<std::uint32_t, 4>;
InstructionWords encode(const Instruction& instruction);

/// In one line, for messages.
std::string describe(const Instruction& instruction);

}  // namespace tb::golden::tensor
