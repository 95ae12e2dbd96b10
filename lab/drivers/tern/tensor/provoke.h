#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/drivers/tern/tensor/instruction.h"

namespace firstlight::tern::tensor {

/// What brings about an error of the engine (docs/tensor.md, "Errors").
struct Provocation {
  std::vector<Instruction> program;
  unsigned flipped_bits = 0;   // in the first word of the scratchpad, which the program reads
  bool fetch_outside = false;  // the program is fetched from where there is no memory
};

/// Tag of the instruction that meets the error.
inline constexpr std::uint32_t kProvokedTag = 0x0BAD'0BAD;

std::vector<std::string> provocations();
/// Nothing for a name that is none of them.
std::optional<Provocation> provocation_of(const std::string& name, const Engine& engine);

}  // namespace firstlight::tern::tensor
