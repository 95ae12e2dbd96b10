#pragma once

#include "lab/capabilities/gemm_engine.h"

namespace firstlight::network {

/// Products as docs/arithmetic.md has them, on the host. It takes no cycles.
class ReferenceEngine : public GemmEngine {
 public:
  explicit ReferenceEngine(const arithmetic::GemmOrder& order = {}) : order_(order) {}
  std::string part() const override { return "reference"; }
  arithmetic::GemmOrder order() override { return order_; }
  double peak(const arithmetic::GemmOptions& /*options*/) override { return 0; }
  double memory_bytes_per_cycle() override { return 0; }
  std::uint64_t ideal_cycles(const arithmetic::GemmShape& /*shape*/,
                             const arithmetic::GemmOptions& /*options*/) override {
    return 0;
  }
  GemmOutcome run(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options,
                  const arithmetic::GemmOperands& operands, GemmStart /*start*/, Instant /*deadline*/) override {
    return {gemm_reference(order_, shape, options, operands), {}};
  }

 private:
  arithmetic::GemmOrder order_;
};

}  // namespace firstlight::network
