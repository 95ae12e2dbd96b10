#pragma once

#include <vector>

#include "lab/arithmetic/gemm.h"
#include "lab/capabilities/gemm_engine.h"
#include "lab/drivers/tern/tensor/instruction.h"

namespace firstlight::tern::tensor {

/// What a product that is wrong points at. The position of wrong elements tells columns of the array and operands
/// apart: column n of C goes through column n mod columns, and step k of each chain through row k mod rows. The values
/// tell the rest: the chain of each wrong element is worked out again with one bit changed in one place (behind a PE,
/// in an element of A or of B) and what explains most of them, and more than anything else does, is it. Sums that were
/// rounded stochastically, and chains too long to be worked out so often, are judged by their positions alone.
/// @param wrong at least one @param options, operands what the product was made of
GemmSuspect suspect(const Engine& engine, const arithmetic::GemmShape& shape, const arithmetic::GemmOptions& options,
                    const arithmetic::GemmOperands& operands, const std::vector<GemmWrong>& wrong);

}  // namespace firstlight::tern::tensor
