#pragma once

#include "tb/golden/fp/formats.h"

namespace tb::golden::fp {

/// a x b + c on fp32 (docs/arithmetic.md, "Fused multiply-add"). Finite operands are the host's: its `fma` and its
/// exception flags; what NaN and infinity give is the specification's.
Result fma(std::uint32_t a, std::uint32_t b, std::uint32_t c);

/// Whether the host tells tiny results after rounding, as the specification does (x86 does, Arm does not). Where it
/// does not, `fma` is no reference for `underflow`.
bool host_tells_tininess_after_rounding();

}  // namespace tb::golden::fp
