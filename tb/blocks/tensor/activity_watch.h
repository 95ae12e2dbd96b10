#pragma once

#include <cstdint>
#include <vector>

#include "tb/blocks/tensor/instruction_port.h"

namespace tb::blocks::tensor {

/// The cycles in which a vector was issued, as the engine's activity pins tell.
class ActivityWatch : public Agent {
 public:
  explicit ActivityWatch(BlockBench<Model>& bench) : bench_(bench) { bench.add(*this); }

  void begin() { cycles_.clear(); }
  const std::vector<std::uint64_t>& cycles() const { return cycles_; }
  /// From the first vector to the last, both included.
  std::uint64_t span() const { return cycles_.empty() ? 0 : cycles_.back() - cycles_.front() + 1; }
  double utilisation() const { return static_cast<double>(cycles_.size()) / static_cast<double>(span()); }

  void sample() override {
    if (bench_.dut().activity_o != 0) cycles_.push_back(bench_.cycles());
  }
  void drive() override {}

 private:
  BlockBench<Model>& bench_;
  std::vector<std::uint64_t> cycles_;
};

}  // namespace tb::blocks::tensor
