#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/capabilities/dma.h"
#include "lab/capabilities/gemm_engine.h"
#include "lab/core/bench_time.h"
#include "lab/drivers/tern/tensor/gemm.h"
#include "lab/drivers/tern/tern_clock.h"
#include "lab/drivers/tern/tern_tensor.h"

namespace firstlight::tern {

/// Products on Tern: operands and result in external memory, moves into the scratchpad by a queue of engine dma0, out
/// of it by one of dma1, and the program between them (tensor/gemm.h). What was written to memory has canaries around
/// it.
class TernGemm : public GemmEngine {
 public:
  TernGemm(TernTensor& tensor, Dma& dma, BenchTime& time, TernClock clock);

  std::string part() const override { return tensor_.part(); }
  arithmetic::GemmOrder order() override;
  double peak(const arithmetic::GemmOptions& options) override;
  double memory_bytes_per_cycle() override;
  std::uint64_t ideal_cycles(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options) override;
  GemmOutcome run(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options,
                  const arithmetic::GemmOperands& operands, GemmStart start, Instant deadline) override;
  GemmSuspect suspect(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options,
                      const arithmetic::GemmOperands& operands, const std::vector<GemmWrong>& wrong) override;

 private:
  struct Places;
  class Stream;

  Places place(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options) const;
  void upload(const Places& places, const arithmetic::GemmOperands& operands);
  void carry_out(const tensor::GemmPlan& plan, const Places& places, GemmStart start, Instant deadline);
  void make_usable();
  std::vector<std::uint8_t> read_back(const Places& places, const arithmetic::MatrixLayout& layout);
  GemmOutcome outcome(std::vector<std::uint8_t> c);

  TernTensor& tensor_;
  Dma& dma_;
  BenchTime& time_;
  TernClock clock_;
};

}  // namespace firstlight::tern
