#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tb/blocks/dma/axi_memory_agent.h"
#include "tb/blocks/register_port.h"
#include "tb/blocks/tensor/activity_watch.h"
#include "tb/blocks/tensor/bus_port.h"
#include "tb/blocks/tensor/instruction_port.h"
#include "tb/golden/tensor/tensor_model.h"

namespace tb::blocks::tensor {

using golden::tensor::ErrorCode;
using golden::tensor::Instruction;
using golden::tensor::Opcode;
using golden::tensor::TensorModel;

/// The engine and its golden model side by side. One a process; each test begins with `restart`.
class TensorBench {
 public:
  static TensorBench& instance();

  /// Reset, enabled, no ramp, every word of the scratchpad random on both sides.
  void restart(std::uint64_t salt);
  /// Every word of the scratchpad random on both sides.
  void refill();
  void set_word(unsigned partition, unsigned word, std::uint64_t data);
  void set_words(unsigned partition, unsigned first, const std::vector<std::uint64_t>& words);
  /// Writes the word again with the bits of `mask` wrong: one is corrected when it is read, two cannot be.
  void spoil(unsigned partition, unsigned word, std::uint32_t mask = 3);
  void set_generator(unsigned column, std::uint32_t state);

  /// Executes on the model and queues for the engine. The model must not find an error.
  void submit(const Instruction& instruction);
  /// Puts a program into memory and lets the engine fetch it. The model executes it too when `execute`.
  void fetch(std::uint64_t base, const std::vector<Instruction>& program, bool execute = true);
  /// Cycles until the engine has taken and ended everything. Fails after `limit` cycles or with an error of the engine.
  void finish(std::uint64_t limit = 200000);
  /// `submit` and `finish`.
  void carry_out(const Instruction& instruction);
  /// `expect_error` when the model finds one, else `carry_out`.
  void carry_out_or_expect_error(const Instruction& instruction);
  /// An instruction that both sides must refuse or report alike; then `command.clear`, and the engine is idle again.
  void expect_error(const Instruction& instruction);
  void expect_reported(const golden::tensor::Error& error);
  void clear_error();

  /// Words that stores have written since, and their neighbours, are the model's.
  void expect_stored();
  /// All words are, and flags and generators as well.
  void expect_everything();
  std::uint64_t counter(std::string_view name);
  Dice& dice() { return dice_; }
  const golden::tensor::Shape& shape() const { return shape_; }
  TensorModel& model() { return model_; }

  BlockBench<Model> block;
  RegisterPort<Model> registers;
  InstructionPort instructions;
  BusPort bus;
  golden::axi::SparseMemory memory;
  AxiMemoryAgent memory_port;  // programs are fetched from it
  ActivityWatch activity;

 private:
  struct Range {
    unsigned columns;
    unsigned first;
    unsigned words;
  };
  TensorBench();
  void execute(const Instruction& instruction);
  void expect_words(unsigned partition, unsigned first, unsigned count);

  golden::tensor::Shape shape_;
  TensorModel model_;
  std::vector<Range> stored_;
  Dice dice_{1};
};

/// An instruction's shape and place; all else is 0.
Instruction make(Opcode opcode, unsigned dtype, unsigned n, unsigned k, unsigned m, unsigned address);

}  // namespace tb::blocks::tensor
