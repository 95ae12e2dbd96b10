#pragma once

#include <cstdint>

#include "tb/blocks/dice.h"
#include "tb/blocks/fp/fp_model.h"
#include "tb/golden/fp/formats.h"

namespace tb::blocks::fp {

/// fp32 numbers as errors like them: most of the bit patterns of uniformly random numbers meet no corner of the
/// arithmetic.
class Operands {
 public:
  explicit Operands(Dice& dice) : dice_(dice) {}

  /// Any number: uniform bits, corners, significands of few ones or of runs.
  std::uint32_t number();
  /// A number near the places where `format` begins, ends, or goes on differently; often a neighbour's midpoint.
  std::uint32_t near(golden::fp::Format format);
  /// A triple of one of the kinds below.
  FmaOperands fma();

 private:
  std::uint32_t sign() { return dice_.coin() ? 0x80000000 : 0; }
  std::uint32_t corner();
  std::uint32_t fraction();
  std::uint32_t with_exponent(int biased);

  FmaOperands alike();
  FmaOperands cancelling();
  FmaOperands at_the_bottom();
  FmaOperands at_the_top();
  FmaOperands halfway();
  FmaOperands subnormal_factor();

  Dice& dice_;
};

}  // namespace tb::blocks::fp
