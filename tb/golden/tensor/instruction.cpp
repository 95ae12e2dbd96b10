#include "tb/golden/tensor/instruction.h"

namespace tb::golden::tensor {
namespace {

/// Puts fields into a word at the bit positions of the specification.
class Word {
 public:
  Word& put(unsigned high, unsigned low, std::uint64_t value) {
    const std::uint64_t mask = (std::uint64_t{1} << (high - low + 1)) - 1;
    bits_ |= (value & mask) << low;
    return *this;
  }
  Word& put(unsigned bit, bool value) { return put(bit, bit, value ? 1 : 0); }
  std::uint32_t low() const { return static_cast<std::uint32_t>(bits_); }
  std::uint32_t high() const { return static_cast<std::uint32_t>(bits_ >> 32U); }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace

InstructionWords encode(const Instruction& i) {
  Word first;
  first.put(3, 0, i.opcode).put(6, 4, i.dtype).put(7, i.double_row);
  first.put(11, 8, i.wait_sem).put(15, 12, i.wait_count).put(19, 16, i.signal_sem).put(20, i.signal);
  first.put(21, 21, i.sbank).put(23, 22, i.abank).put(24, i.accumulate).put(25, i.raw).put(26, i.stochastic);
  first.put(27, i.saturate).put(28, i.scale).put(29, i.bias).put(30, i.relu).put(31, i.release);
  first.put(39, 32, i.n).put(45, 40, i.k).put(51, 46, i.m).put(58, 52, i.entry).put(63, 59, i.zero);
  Word second;
  second.put(15, 0, i.address).put(31, 16, i.params);
  return {first.low(), first.high(), second.low(), i.tag};
}

std::string describe(const Instruction& i) {
  static constexpr std::array kNames{"?", "load", "multiply", "store", "transpose", "halt"};
  std::string text = i.opcode < kNames.size() ? kNames.at(i.opcode) : "opcode " + std::to_string(i.opcode);
  const auto number = [&text](const char* name, unsigned value) {
    text += " " + std::string(name) + "=" + std::to_string(value);
  };
  const auto flag = [&text](const char* name, bool on) { text += on ? " " + std::string(name) : ""; };
  number("tag", i.tag);
  number("dtype", i.dtype);
  number("n", i.n);
  number("k", i.k);
  number("m", i.m);
  number("sbank", i.sbank);
  number("abank", i.abank);
  number("entry", i.entry);
  number("address", i.address);
  number("params", i.params);
  flag("double", i.double_row);
  flag("accumulate", i.accumulate);
  flag("raw", i.raw);
  flag("stochastic", i.stochastic);
  flag("saturate", i.saturate);
  flag("scale", i.scale);
  flag("bias", i.bias);
  flag("relu", i.relu);
  flag("release", i.release);
  if (i.wait_count != 0) text += " waits " + std::to_string(i.wait_sem) + " x" + std::to_string(i.wait_count);
  if (i.signal) number("signals", i.signal_sem);
  return text;
}

}  // namespace tb::golden::tensor
