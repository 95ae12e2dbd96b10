#include "tb/blocks/fp/fp_model.h"

#include <Vfp_bench_top.h>
#include <verilated.h>
#include <verilated_cov.h>

#include <cstdlib>
#include <utility>

namespace tb::blocks::fp {

golden::fp::Flags flags_of(unsigned bits) {
  return {(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0, (bits & 8U) != 0, (bits & 16U) != 0};
}

void write_coverage(VerilatedContext& context, const std::string& name) {
  if (const char* folder = std::getenv("FIRSTLIGHT_COVERAGE_DIR"))
    context.coveragep()->write((std::string(folder) + "/" + name + ".dat").c_str());
}

FpModel::FpModel(std::string name, std::uint64_t seed)
    : name_(std::move(name)), context_(std::make_unique<VerilatedContext>()) {
  context_->randReset(2);
  context_->randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
  top_ = std::make_unique<Vfp_bench_top>(context_.get(), "tern");
  reset();
}

FpModel::~FpModel() {
  // Verilator unregisters scopes in the thread's context, which may be that of another model, gone already.
  Verilated::threadContextp(context_.get());
  top_->final();
  write_coverage(*context_, name_);
}

void FpModel::clock() {
  top_->clk_i = 1;
  top_->eval();
  top_->clk_i = 0;
  top_->eval();
}

void FpModel::reset() {
  top_->clk_i = 0;
  top_->rst_ni = 0;
  top_->fma_en_i = 1;
  top_->fma_valid_i = 0;
  top_->random_step_i = 0;
  top_->random_write_i = 0;
  top_->eval();
  clock();
  top_->rst_ni = 1;
  top_->eval();
}

Result FpModel::widen(unsigned format, std::uint32_t value) {
  top_->widen_format_i = static_cast<std::uint8_t>(format);
  top_->widen_value_i = value;
  top_->eval();
  return {top_->widen_value_o, flags_of(top_->widen_flags_o)};
}

Result FpModel::narrow(unsigned format, Rounding rounding, Overflow overflow, std::uint32_t value,
                       std::uint32_t random) {
  top_->narrow_format_i = static_cast<std::uint8_t>(format);
  top_->narrow_rounding_i = static_cast<std::uint8_t>(rounding);
  top_->narrow_overflow_i = static_cast<std::uint8_t>(overflow);
  top_->narrow_value_i = value;
  top_->narrow_random_i = random;
  top_->eval();
  return {top_->narrow_value_o, flags_of(top_->narrow_flags_o)};
}

std::optional<Result> FpModel::clock_fma(bool enable, const std::optional<FmaOperands>& operands) {
  top_->fma_en_i = enable ? 1 : 0;
  top_->fma_valid_i = operands ? 1 : 0;
  if (operands) {
    top_->fma_a_i = operands->a;
    top_->fma_b_i = operands->b;
    top_->fma_c_i = operands->c;
  }
  clock();
  if (top_->fma_valid_o == 0) return std::nullopt;
  return Result{top_->fma_result_o, flags_of(top_->fma_flags_o)};
}

Result FpModel::fma(const FmaOperands& operands) {
  auto result = clock_fma(true, operands);
  while (!result) result = clock_fma(true, std::nullopt);
  return *result;
}

void FpModel::write_generator(std::uint32_t state) {
  top_->random_write_i = 1;
  top_->random_state_i = state;
  clock();
  top_->random_write_i = 0;
  top_->eval();
}

void FpModel::step_generator() {
  top_->random_step_i = 1;
  clock();
  top_->random_step_i = 0;
}

std::uint32_t FpModel::generator_state() { return top_->random_state_o; }
std::uint32_t FpModel::generator_number() { return top_->random_number_o; }

}  // namespace tb::blocks::fp
