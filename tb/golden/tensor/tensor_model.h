#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tb/golden/fp/formats.h"
#include "tb/golden/fp/generator.h"
#include "tb/golden/tensor/error.h"
#include "tb/golden/tensor/instruction.h"

namespace tb::golden::tensor {

/// The tensor engine as docs/tensor.md has it, an instruction at a time, in the program's order: what a program must
/// give whose semaphores keep that order wherever it matters. No queues, no semaphores, no time.
class TensorModel {
 public:
  explicit TensorModel(const Shape& shape);

  /// Executes one instruction. The answer is the lowest code that holds, and of one code the lowest detail; nothing has
  /// changed when it is one of codes 1 to 5.
  std::optional<Error> execute(const Instruction& instruction);

  std::uint64_t word(unsigned partition, unsigned index) const { return spad_.at(partition).at(index).data; }
  /// A good word, whatever was there.
  void set_word(unsigned partition, unsigned index, std::uint64_t data) {
    spad_.at(partition).at(index) = {data, false};
  }
  /// Makes the word unreadable until it is written as a whole.
  void spoil(unsigned partition, unsigned index) { spad_.at(partition).at(index).rotten = true; }

  unsigned flags() const { return flags_; }  ///< sticky; bits as docs/arithmetic.md numbers them
  void clear_flags() { flags_ = 0; }
  fp::Generator& generator(unsigned column) { return generators_.at(column); }
  std::uint64_t stored() const { return stored_; }
  std::uint64_t vectors() const { return vectors_; }
  const Shape& shape() const { return shape_; }

 private:
  struct Word {
    std::uint64_t data = 0;
    bool rotten = false;
  };
  struct Entry {
    std::uint32_t value = 0;
    bool valid = false;
  };
  /// What the last load of a bank filled; k = 0: nothing.
  struct Filled {
    unsigned k = 0;
    unsigned m = 0;
    bool double_row = false;
  };

  void load(const Instruction& i);
  void multiply(const Instruction& i);
  void transpose(const Instruction& i);
  void store(const Instruction& i);
  void store_column(const Instruction& i, unsigned column);
  bool stationary_is_set(const Instruction& i) const;

  /// Element `index` from `address` on; a word that cannot be read gives NaN and an error.
  std::uint32_t element(const Instruction& i, unsigned partition, unsigned index);
  std::uint32_t raw_element(unsigned dtype, unsigned partition, unsigned address, unsigned index) const;
  bool readable(const Instruction& i, unsigned partition, unsigned word);
  void put_element(const Instruction& i, unsigned partition, unsigned index, std::uint32_t bits);
  std::uint32_t& stationary(unsigned bank, unsigned step, unsigned column) {
    return stationary_.at((bank * 2 * shape_.rows + step) * shape_.cols + column);
  }
  Entry& entry(unsigned bank, unsigned index, unsigned column) {
    return acc_.at((bank * kEntries + index) * shape_.cols + column);
  }
  std::uint32_t keep(const fp::Result& result);
  void report(const Error& error);
  void report_unset(const Instruction& i, unsigned index, unsigned column);

  Shape shape_;
  std::vector<std::vector<Word>> spad_;
  std::vector<std::uint32_t> stationary_;  // [bank][step][column]
  std::array<Filled, 2> filled_{};
  std::vector<Entry> acc_;  // [bank][entry][column]
  std::vector<fp::Generator> generators_;
  unsigned flags_ = 0;
  std::uint64_t stored_ = 0;
  std::uint64_t vectors_ = 0;
  std::optional<Error> error_;  // of the instruction under way
};

}  // namespace tb::golden::tensor
