#include "tb/blocks/fp/post_model.h"

#include <Vfp_post.h>
#include <verilated.h>
#include <verilated_cov.h>

#include <utility>

namespace tb::blocks::fp {

PostModel::PostModel(std::string name, std::uint64_t seed)
    : name_(std::move(name)), context_(std::make_unique<VerilatedContext>()) {
  context_->randReset(2);
  context_->randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
  top_ = std::make_unique<Vfp_post>(context_.get(), "tern_post");
  top_->clk_i = 0;
  top_->rst_ni = 0;
  top_->en_i = 1;
  top_->valid_i = 0;
  top_->state_write_i = 0;
  top_->eval();
  edge();
  top_->rst_ni = 1;
  top_->eval();
}

PostModel::~PostModel() {
  // See ~FpModel.
  Verilated::threadContextp(context_.get());
  top_->final();
  write_coverage(*context_, name_);
}

void PostModel::edge() {
  top_->clk_i = 1;
  top_->eval();
  top_->clk_i = 0;
  top_->eval();
}

void PostModel::configure(bool scale, bool bias, bool relu, const golden::fp::Narrowing& narrowing) {
  top_->scale_en_i = scale ? 1 : 0;
  top_->bias_en_i = bias ? 1 : 0;
  top_->relu_i = relu ? 1 : 0;
  top_->format_i = static_cast<std::uint8_t>(narrowing.format);
  top_->rounding_i = static_cast<std::uint8_t>(narrowing.rounding);
  top_->overflow_i = static_cast<std::uint8_t>(narrowing.overflow);
}

std::optional<Result> PostModel::clock(bool enable, const std::optional<Number>& number) {
  top_->en_i = enable ? 1 : 0;
  top_->valid_i = number ? 1 : 0;
  if (number) {
    top_->value_i = number->value;
    top_->scale_i = number->scale;
    top_->bias_i = number->bias;
  }
  edge();
  if (top_->valid_o == 0) return std::nullopt;
  return Result{top_->value_o, flags_of(top_->flags_o)};
}

void PostModel::write_generator(std::uint32_t state) {
  top_->valid_i = 0;
  top_->state_write_i = 1;
  top_->state_i = state;
  edge();
  top_->state_write_i = 0;
}

std::uint32_t PostModel::generator_state() const { return top_->state_o; }

}  // namespace tb::blocks::fp
