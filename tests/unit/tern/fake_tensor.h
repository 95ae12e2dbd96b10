#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "tb/golden/tensor/tensor_model.h"
#include "tests/unit/tern/fake_dma.h"
#include "tests/unit/tern/register_file.h"

namespace firstlight::test {

/// The tensor engine as docs/tensor.md has it, without time, with the golden model inside: three queues and the
/// semaphores that it shares with the DMA engines.
class FakeTensor {
 public:
  static constexpr unsigned kSize = 8;  // rows and columns

  FakeTensor(RegisterFile& registers, FakeDma& dma);

  // What may be wrong with it.
  bool deaf = false;                      // programs are fetched and nothing happens
  std::optional<unsigned> wrong_element;  // this store's first element has its lowest bit turned over
  unsigned programs = 0;

 private:
  using Instruction = tb::golden::tensor::Instruction;

  void command(std::uint32_t value);
  void fetch();
  /// Whether anything could go on.
  bool step();
  bool run_queue(std::deque<Instruction>& queue);
  void fail(unsigned code, std::uint32_t tag, std::uint32_t detail);
  void scratchpad_to_model();
  void model_to_scratchpad();
  void publish();

  RegisterFile& registers_;
  FakeDma& dma_;
  tb::golden::tensor::TensorModel model_;
  std::deque<Instruction> program_;
  std::array<std::deque<Instruction>, 3> queues_;  // load, multiply, store
  bool halted_ = false;
  bool failed_ = false;
  bool spoiled_ = false;  // the first word cannot be read
  std::uint64_t vectors_ = 0;
  unsigned stores_ = 0;
};

}  // namespace firstlight::test
