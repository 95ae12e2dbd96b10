#pragma once

#include <array>
#include <cstdint>

#include "lab/arithmetic/format.h"

namespace firstlight::tern::tensor {

using arithmetic::Format;

/// The tensor engine of one chip (docs/tensor.md, "Memories").
struct Engine {
  unsigned rows = 8;  // of the array
  unsigned columns = 8;
  unsigned partition_bytes = 16 * 1024;
  unsigned entries = 128;  // of an accumulator bank
  unsigned banks = 4;      // of accumulators
};

enum class Opcode : std::uint8_t { load_stationary = 1, multiply_moving = 2, store = 3, transpose = 4, halt = 5 };

/// One instruction (docs/tensor.md, "Instructions"). The engine says what is legal.
struct Instruction {
  Opcode opcode = Opcode::halt;
  Format dtype = Format::fp32;
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
  unsigned address = 0;  // bytes within a partition
  unsigned params = 0;   // bytes within a partition
  std::uint32_t tag = 0;
};

/// Words 0 and 1.
std::array<std::uint64_t, 2> encode(const Instruction& instruction);

}  // namespace firstlight::tern::tensor
