#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tb/blocks/dice.h"
#include "tb/golden/tensor/tensor_model.h"

namespace tb::blocks::tensor {

/// Draws legal instructions, one after the other: keeps in mind what earlier ones have set. The scratchpad has a part
/// for each format, with numbers in it that do not overflow at once, and one for bits of any kind.
class RandomProgram {
 public:
  using Instruction = golden::tensor::Instruction;

  RandomProgram(const golden::tensor::Shape& shape, Dice& dice) : shape_(shape), dice_(dice) {}

  Instruction next();
  /// The content of a word before the program.
  std::uint64_t word(unsigned index);

 private:
  static constexpr unsigned kParts = 6;
  static constexpr unsigned kPartWords = golden::tensor::kPartitionWords / kParts;
  struct Filled {
    unsigned k = 0;
    unsigned m = 0;
    bool double_row = false;
  };

  Instruction draw_load();
  std::optional<Instruction> draw_multiply();
  std::optional<Instruction> draw_transpose();
  std::optional<Instruction> draw_store();
  unsigned draw_count(unsigned most);
  unsigned draw_address(unsigned dtype, unsigned bytes);
  unsigned& set(unsigned bank, unsigned entry) { return set_.at(bank * golden::tensor::kEntries + entry); }
  unsigned set_in_all(unsigned bank, unsigned entry, unsigned n);

  golden::tensor::Shape shape_;
  Dice& dice_;
  std::array<Filled, 2> filled_{};
  std::array<unsigned, golden::tensor::kBanks * golden::tensor::kEntries> set_{};  // columns, a bit each
  std::uint32_t tag_ = 0;
};

/// A number of a format between 1/8 and 16, either sign.
std::uint32_t tame(unsigned dtype, Dice& dice);

}  // namespace tb::blocks::tensor
