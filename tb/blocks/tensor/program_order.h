#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tb/golden/tensor/tensor_model.h"

namespace tb::blocks::tensor {

/// What software does to a program whose instructions may overlap: finds out what each depends on, in other units, and
/// adds the semaphores that keep that order, and no other. An instruction signals once at the most and waits for one
/// semaphore, as docs/tensor.md has it.
class ProgramOrder {
 public:
  using Instruction = golden::tensor::Instruction;

  /// Adds an instruction behind the others. False when no semaphore is left to keep its order: then the program so far
  /// has to end before this one begins, and a new program begins with it.
  bool add(const Instruction& instruction);
  const std::vector<Instruction>& program() const { return program_; }

 private:
  static constexpr int kUnits = 3;
  static constexpr unsigned kSemaphores = 16;
  /// By unit, the last instruction that is known to have ended; -1: none is.
  using Knowledge = std::array<int, kUnits>;
  enum class Space : std::uint8_t { kStationary, kAccumulator, kScratchpad };
  struct Use {
    Space space;
    unsigned first;
    unsigned behind;
    bool writes;
  };
  struct Plan {
    std::array<int, kUnits> signaller{-1, -1, -1};  // by unit, who has to signal
    unsigned count = 0;
  };

  static int unit_of(const Instruction& instruction);
  static std::vector<Use> uses_of(const Instruction& instruction);
  static bool conflict(const std::vector<Use>& a, const std::vector<Use>& b);
  Knowledge at_begin(int unit) const;
  Knowledge at_end(int index) const;
  std::optional<Plan> plan(int unit, const std::vector<Use>& uses, const Knowledge& known) const;
  std::optional<unsigned> free_semaphore(int new_unit, const Plan& plan) const;

  std::vector<Instruction> program_;
  std::vector<std::vector<Use>> uses_;
  std::vector<Knowledge> begins_;  // what is known when an instruction begins
  std::array<int, kSemaphores> last_waiter_ = [] {
    std::array<int, kSemaphores> none{};
    none.fill(-1);
    return none;
  }();
};

}  // namespace tb::blocks::tensor
