#pragma once

#include <string>

#include "lab/capabilities/current_burst.h"
#include "lab/capabilities/dma.h"
#include "lab/capabilities/registers.h"
#include "lab/drivers/tern/tensor/instruction.h"
#include "lab/drivers/tern/tern_clock.h"
#include "lab/drivers/tern/tern_tensor.h"

namespace firstlight::tern::tensor {

/// Bursts of the tensor engine: products wait in its queue for a semaphore that the host then signals, and issue a
/// vector a cycle until they have ended.
class TensorBurst final : public CurrentBurst {
 public:
  /// @param rail that feeds the array; @param dma brings operands into the scratchpad
  TensorBurst(TernTensor& tensor, std::string rail, Registers& registers, Dma& dma, BenchTime& time, TernClock clock);

  std::string part() const override { return tensor_.part(); }
  std::string rail() const override { return rail_; }
  unsigned longest() const override;
  void prepare(Instant deadline) override;
  BurstOutcome run(unsigned cycles, bool ramp, Instant deadline) override;

 private:
  void issue(const Instruction& instruction, Instant deadline);
  void wait_for(const std::string& field, std::uint32_t value, Instant deadline);
  void queue_products(unsigned cycles, Instant deadline);

  TernTensor& tensor_;
  std::string rail_;
  Registers& registers_;
  Dma& dma_;
  BenchTime& time_;
  TernClock clock_;
  Engine engine_;
};

}  // namespace firstlight::tern::tensor
