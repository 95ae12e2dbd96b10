#pragma once

#include <cstdint>
#include <vector>

#include "lab/arithmetic/gemm.h"
#include "lab/arithmetic/output.h"
#include "lab/drivers/tern/tensor/diagnose.h"

namespace firstlight::tern::tensor {

/// The chains of a product's elements, with one bit changed on the way, once or each time a sum comes by. Each question
/// gives the steps k at which some change of one bit turns the element into what was found, and the bit. Not for
/// stochastic rounding.
class Chain {
 public:
  static constexpr unsigned kBits = 32;

  Chain(const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options,
        const arithmetic::GemmOperands& operands)
      : shape_(shape), options_(options), operands_(operands) {}

  struct Change {
    std::size_t step = 0;
    unsigned bit = 0;
  };
  /// A bit of the sum behind step k.
  std::vector<Change> behind_steps(const GemmWrong& element) const;
  /// A bit of the sum behind every step k, k + period, k + 2 x period ..: turned over, or always 1, or always 0.
  std::vector<Change> behind_each(const GemmWrong& element, std::size_t period) const;
  /// A bit of A's element of step k.
  std::vector<Change> in_a(const GemmWrong& element) const;
  /// A bit of B's element of step k.
  std::vector<Change> in_b(const GemmWrong& element) const;

 private:
  struct Column {
    std::vector<float> a;
    std::vector<float> b;
    std::vector<float> sums;  // behind each step
    arithmetic::Output output;
  };
  Column column_of(const GemmWrong& element) const;
  bool ends_as(const Column& column, std::size_t step, float sum, std::uint32_t found) const;
  float operand(arithmetic::Matrix matrix, std::size_t k, std::size_t index, std::uint32_t change) const;
  template <class Changed>
  std::vector<Change> changed_operand(const GemmWrong& element, unsigned bits, Changed changed) const;

  const arithmetic::GemmShape& shape_;
  const arithmetic::GemmOptions& options_;
  const arithmetic::GemmOperands& operands_;
};

}  // namespace firstlight::tern::tensor
