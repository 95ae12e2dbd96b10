#pragma once

#include <string_view>
#include <vector>

#include "lab/core/vocabulary.h"
#include "tb/bench/model_transports.h"

namespace tb {

/// What faults of the domains link, tensor, memory and dma act on.
struct ChipFaultTargets {
  TernChip& chip;
  ExternalMemory& hbm;
  ExternalMemory& host;
  WordFault& host_word;
};

/// The catalogue of the domains link, tensor, memory and dma; board::board_fault_specs() has the rest.
const std::vector<firstlight::FaultSpec>& chip_fault_specs();

/// Puts one of them in. An empty value takes the default. Throws std::invalid_argument that names fault and value and
/// says what was expected.
void set_chip_fault(const ChipFaultTargets& targets, std::string_view name, std::string_view value);

}  // namespace tb
