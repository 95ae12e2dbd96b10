#pragma once

#include <cstdint>
#include <deque>

#include "Vtensor_bench_top.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/dice.h"
#include "tb/golden/tensor/instruction.h"

namespace tb::blocks::tensor {

using Model = Vtensor_bench_top;

/// Hands instructions to the engine, in order, with gaps between them where `gaps` is set.
class InstructionPort : public Agent {
 public:
  explicit InstructionPort(BlockBench<Model>& bench) : bench_(bench) { bench.add(*this); }

  void push(const golden::tensor::Instruction& instruction) { waiting_.push_back(golden::tensor::encode(instruction)); }
  bool empty() const { return waiting_.empty(); }
  /// Instructions that the engine has not taken yet are forgotten.
  void drop();
  /// After each instruction a pause of up to so many cycles.
  void set_gaps(unsigned longest, std::uint64_t seed) { longest_gap_ = longest, dice_ = Dice(seed); }

  void sample() override;
  void drive() override;

 private:
  BlockBench<Model>& bench_;
  std::deque<golden::tensor::InstructionWords> waiting_;
  Dice dice_{1};
  unsigned longest_gap_ = 0;
  unsigned gap_ = 0;
};

}  // namespace tb::blocks::tensor
