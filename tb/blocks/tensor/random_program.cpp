#include "tb/blocks/tensor/random_program.h"

#include <algorithm>

#include "tb/golden/fp/formats.h"

namespace tb::blocks::tensor {

using golden::tensor::element_bytes;
using golden::tensor::kBanks;
using golden::tensor::kEntries;
using golden::tensor::Opcode;

namespace {

bool is_fp8(unsigned dtype) { return element_bytes(dtype) == 1; }

}  // namespace

std::uint32_t tame(unsigned dtype, Dice& dice) {
  const auto& format = golden::fp::info(static_cast<golden::fp::Format>(dtype));
  const auto exponent = static_cast<std::uint32_t>(format.bias + dice.between(-3, 3));
  const std::uint32_t fraction = dice.word() & ((1U << format.fraction_bits) - 1);
  return (dice.coin() ? format.sign_bit() : 0) | exponent << format.fraction_bits | fraction;
}

std::uint64_t RandomProgram::word(unsigned index) {
  const unsigned part = index / kPartWords;
  if (part + 1 >= kParts) return dice_.bits();
  const unsigned bits = 8 * element_bytes(part);
  std::uint64_t word = 0;
  for (unsigned at = 0; at < 64; at += bits) word |= std::uint64_t{tame(part, dice_)} << at;
  return word;
}

/// Mostly all there is, or little.
unsigned RandomProgram::draw_count(unsigned most) {
  switch (dice_.below(3)) {
    case 0:
      return most;
    case 1:
      return 1 + dice_.below(std::min(most, 6U));
    default:
      return 1 + dice_.below(most);
  }
}

unsigned RandomProgram::draw_address(unsigned dtype, unsigned bytes) {
  const unsigned part = dice_.one_in(6) ? kParts - 1 : dtype;
  const unsigned words = (bytes + 7) / 8;
  return 8 * (part * kPartWords + dice_.below(kPartWords - words + 1));
}

RandomProgram::Instruction RandomProgram::next() {
  for (;;) {
    std::optional<Instruction> drawn;
    const unsigned kind = dice_.below(16);
    if (kind < 5) drawn = draw_load();
    if (kind >= 5 && kind < 11) drawn = draw_multiply();
    if (kind == 11) drawn = draw_transpose();
    if (kind >= 12) drawn = draw_store();
    if (!drawn) continue;
    drawn->tag = tag_++;
    return *drawn;
  }
}

RandomProgram::Instruction RandomProgram::draw_load() {
  Instruction i;
  i.opcode = static_cast<unsigned>(Opcode::kLoad);
  i.dtype = dice_.below(5);
  i.double_row = is_fp8(i.dtype) && dice_.coin();
  i.raw = dice_.one_in(6);
  i.sbank = dice_.below(2);
  i.k = draw_count(i.double_row ? 2 * shape_.rows : shape_.rows);
  i.m = draw_count(shape_.cols);
  i.address = draw_address(i.dtype, i.m * (i.double_row ? 2 : 1) * element_bytes(i.dtype));
  filled_.at(i.sbank) = {i.k, i.m, i.double_row};
  return i;
}

std::optional<RandomProgram::Instruction> RandomProgram::draw_multiply() {
  Instruction i;
  i.opcode = static_cast<unsigned>(Opcode::kMultiply);
  i.sbank = dice_.below(2);
  const Filled& filled = filled_.at(i.sbank);
  if (filled.k == 0) return std::nullopt;
  i.double_row = filled.double_row;
  i.dtype = i.double_row ? 3 + dice_.below(2) : dice_.below(5);
  i.k = draw_count(filled.k);
  i.m = draw_count(filled.m);
  i.n = draw_count(dice_.one_in(4) ? kEntries : 20);
  i.abank = dice_.below(kBanks);
  i.entry = dice_.below(kEntries - i.n + 1);
  i.address = draw_address(i.dtype, i.n * (i.double_row ? 2 : 1) * element_bytes(i.dtype));
  const unsigned columns = (1U << i.m) - 1;
  i.accumulate = (set_in_all(i.abank, i.entry, i.n) & columns) == columns && !dice_.one_in(4);
  for (unsigned e = 0; e < i.n; ++e) set(i.abank, i.entry + e) |= columns;
  return i;
}

std::optional<RandomProgram::Instruction> RandomProgram::draw_transpose() {
  Instruction i;
  i.opcode = static_cast<unsigned>(Opcode::kTranspose);
  i.sbank = dice_.below(2);
  i.dtype = dice_.below(8);
  const Filled& filled = filled_.at(i.sbank);
  if (filled.k == 0 || filled.double_row) return std::nullopt;
  i.k = draw_count(filled.k);
  i.m = draw_count(filled.m);
  i.abank = dice_.below(kBanks);
  i.entry = dice_.below(kEntries - i.k + 1);
  for (unsigned e = 0; e < i.k; ++e) set(i.abank, i.entry + e) |= (1U << i.m) - 1;
  return i;
}

std::optional<RandomProgram::Instruction> RandomProgram::draw_store() {
  Instruction i;
  i.opcode = static_cast<unsigned>(Opcode::kStore);
  i.abank = dice_.below(kBanks);
  // Any entry that is set, and what is set behind it.
  i.entry = dice_.below(kEntries);
  for (unsigned tries = 0; tries < kEntries && set(i.abank, i.entry) % 2 == 0; ++tries)
    i.entry = (i.entry + 1) % kEntries;
  if (set(i.abank, i.entry) % 2 == 0) return std::nullopt;
  unsigned most = 1;
  while (i.entry + most < kEntries && set(i.abank, i.entry + most) % 2 != 0) ++most;
  i.n = draw_count(most);
  const unsigned columns = set_in_all(i.abank, i.entry, i.n);
  i.m = 1;
  while (i.m < shape_.cols && (columns >> i.m) % 2 != 0) ++i.m;
  i.m = draw_count(i.m);
  i.dtype = dice_.below(5);
  i.raw = dice_.one_in(8);
  i.stochastic = dice_.coin();
  i.saturate = dice_.coin();
  i.scale = dice_.one_in(3);
  i.bias = dice_.one_in(3);
  i.relu = dice_.one_in(3);
  i.release = dice_.one_in(3);
  i.address = draw_address(i.dtype, i.n * element_bytes(i.dtype));
  i.params = draw_address(0, 8);
  if (i.release)
    for (unsigned e = 0; e < i.n; ++e) set(i.abank, i.entry + e) &= ~((1U << i.m) - 1);
  return i;
}

unsigned RandomProgram::set_in_all(unsigned bank, unsigned entry, unsigned n) {
  unsigned columns = ~0U;
  for (unsigned e = 0; e < n; ++e) columns &= set(bank, entry + e);
  return columns;
}

}  // namespace tb::blocks::tensor
