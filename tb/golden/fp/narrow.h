#pragma once

#include "tb/golden/fp/formats.h"

namespace tb::golden::fp {

struct Narrowing {
  Format format = Format::kFp32;
  Rounding rounding = Rounding::kNearestEven;
  Overflow overflow = Overflow::kSaturate;
};

/// fp32 to any format (docs/arithmetic.md, "Narrowing"). `random` is the generator's number; it matters to stochastic
/// rounding only.
Result narrow(const Narrowing& how, std::uint32_t value, std::uint32_t random);

/// The first 32 bits of the distance of a finite `value` from its lower neighbour in the target, in units of the
/// distance between the neighbours: `f` of docs/arithmetic.md. 0 for what fp32 itself holds.
std::uint32_t rounding_fraction(Format format, std::uint32_t value);

}  // namespace tb::golden::fp
