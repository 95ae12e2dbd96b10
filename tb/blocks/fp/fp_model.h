#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tb/golden/fp/formats.h"

class VerilatedContext;
class Vfp_bench_top;

namespace tb::blocks::fp {

using golden::fp::Overflow;
using golden::fp::Result;
using golden::fp::Rounding;

struct FmaOperands {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};

/// The verilated arithmetic (rtl/fp). Format codes are numbers here, since the RTL takes those that do not exist as
/// well.
class FpModel {
 public:
  /// `name` is that of its coverage file; registers without a reset begin with what `seed` gives.
  FpModel(std::string name, std::uint64_t seed);
  FpModel(const FpModel&) = delete;
  FpModel& operator=(const FpModel&) = delete;
  FpModel(FpModel&&) = delete;
  FpModel& operator=(FpModel&&) = delete;
  ~FpModel();

  Result widen(unsigned format, std::uint32_t value);
  Result narrow(unsigned format, Rounding rounding, Overflow overflow, std::uint32_t value, std::uint32_t random);
  /// One multiply-add through a pipeline that is empty before and after.
  Result fma(const FmaOperands& operands);

  /// One clock cycle of the multiply-add; what its outputs hold after the edge. Nothing: they are not valid.
  std::optional<Result> clock_fma(bool enable, const std::optional<FmaOperands>& operands);

  void reset();
  void write_generator(std::uint32_t state);
  void step_generator();
  std::uint32_t generator_state();
  std::uint32_t generator_number();

 private:
  void clock();

  std::string name_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vfp_bench_top> top_;
};

/// The RTL's five bits.
golden::fp::Flags flags_of(unsigned bits);

/// Writes a model's coverage where FIRSTLIGHT_COVERAGE_DIR asks for it, as <name>.dat.
void write_coverage(VerilatedContext& context, const std::string& name);

}  // namespace tb::blocks::fp
