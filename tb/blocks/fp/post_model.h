#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tb/blocks/fp/fp_model.h"
#include "tb/golden/fp/post.h"

class Vfp_post;

namespace tb::blocks::fp {

/// The verilated way out of the engine (rtl/fp/fp_post.sv).
class PostModel {
 public:
  struct Number {
    std::uint32_t value = 0;
    std::uint32_t scale = 0;
    std::uint32_t bias = 0;
  };

  PostModel(std::string name, std::uint64_t seed);
  PostModel(const PostModel&) = delete;
  PostModel& operator=(const PostModel&) = delete;
  PostModel(PostModel&&) = delete;
  PostModel& operator=(PostModel&&) = delete;
  ~PostModel();

  /// Which steps are on, and how they round. Scale and bias themselves come with each number.
  void configure(bool scale, bool bias, bool relu, const golden::fp::Narrowing& narrowing);
  std::optional<Result> clock(bool enable, const std::optional<Number>& number);
  void write_generator(std::uint32_t state);
  std::uint32_t generator_state() const;

 private:
  void edge();

  std::string name_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vfp_post> top_;
};

}  // namespace tb::blocks::fp
