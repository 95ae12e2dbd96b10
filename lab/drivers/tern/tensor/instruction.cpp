#include "lab/drivers/tern/tensor/instruction.h"

namespace firstlight::tern::tensor {

namespace {

/// The value in bits `high` to `low`; what does not fit is cut off.
constexpr std::uint64_t field(std::uint64_t value, unsigned high, unsigned low) {
  return (value & ((std::uint64_t{1} << (high - low + 1)) - 1)) << low;
}
constexpr std::uint64_t flag(bool value, unsigned bit) { return std::uint64_t{value} << bit; }

}  // namespace

std::array<std::uint64_t, 2> encode(const Instruction& i) {
  const std::uint64_t low =
      field(static_cast<std::uint64_t>(i.opcode), 3, 0) | field(static_cast<std::uint64_t>(i.dtype), 6, 4) |
      flag(i.double_row, 7) | field(i.wait_sem, 11, 8) | field(i.wait_count, 15, 12) | field(i.signal_sem, 19, 16) |
      flag(i.signal, 20) | field(i.sbank, 21, 21) | field(i.abank, 23, 22) | flag(i.accumulate, 24) | flag(i.raw, 25) |
      flag(i.stochastic, 26) | flag(i.saturate, 27) | flag(i.scale, 28) | flag(i.bias, 29) | flag(i.relu, 30) |
      flag(i.release, 31) | field(i.n, 39, 32) | field(i.k, 45, 40) | field(i.m, 51, 46) | field(i.entry, 58, 52);
  return {low, field(i.address, 15, 0) | field(i.params, 31, 16) | field(i.tag, 63, 32)};
}

}  // namespace firstlight::tern::tensor
