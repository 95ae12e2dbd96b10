#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/capabilities/dma.h"
#include "lab/capabilities/registers.h"
#include "lab/capabilities/tensor.h"
#include "lab/core/bench_time.h"
#include "lab/drivers/tern/tensor/instruction.h"
#include "lab/drivers/tern/tern_clock.h"

namespace firstlight::tern {

/// Tern's tensor engine: registers of block `tensor` (docs/tensor.md). Programs lie at the end of host memory, where
/// the engine fetches them.
class TernTensor : public Tensor {
 public:
  TernTensor(std::string name, Registers& registers, Dma& dma, BenchTime& time, TernClock clock);

  std::string part() const override { return name_ + " tensor engine"; }
  TensorShape shape() override;
  void start(std::uint64_t address, std::uint32_t instructions) override;
  bool ended() override;
  std::optional<TensorError> wait(Instant deadline) override;
  std::optional<TensorError> error() override;
  void clear(Instant deadline) override;
  TensorCounters counters() override;
  std::vector<std::string> flags() override;
  void clear_flags() override;
  std::vector<unsigned> semaphores() override;
  std::uint32_t random_state(unsigned column) override;
  void set_random_state(unsigned column, std::uint32_t state) override;
  std::vector<std::string> provocations() const override;
  std::optional<TensorError> provoke(const std::string& name, Instant deadline) override;

  /// After a reset of the chip, fills the scratchpad: words that were never written have no right check bits, and
  /// writes of a part of one would not take. Then as `clear`, with generators and flags as after a reset.
  void prepare(Instant deadline);
  /// Writes a program, with a HALT behind it, to memory, and starts it.
  void run(const std::vector<tensor::Instruction>& program);
  /// The engine's size, for those who plan for it.
  tensor::Engine engine();
  /// What the units do and wait for, in words.
  std::string state();
  std::uint64_t scratchpad() const { return registers_.map().region("scratchpad").base; }

 private:
  std::uint64_t count(const std::string& name);
  std::uint64_t program_address() const;
  void fill_scratchpad(Instant deadline);

  std::string name_;
  Registers& registers_;
  Dma& dma_;
  BenchTime& time_;
  TernClock clock_;
  std::optional<TensorShape> shape_;  // once it was read
};

}  // namespace firstlight::tern
