#pragma once

#include "lab/arithmetic/format.h"

namespace firstlight::arithmetic {

/// A float's bits, and back.
std::uint32_t bits_of(float value);
float float_of(std::uint32_t bits);

/// The one NaN that comes out of anything (docs/arithmetic.md).
inline constexpr std::uint32_t kNan = 0x7fc00000;
/// Whether it is a NaN; `flags` say that one came in, and whether it was a signalling one.
bool note_nan(float value, Flags& flags);

/// Any format to fp32, exactly (docs/arithmetic.md, "Widening"). Adds to `flags`.
float widen(Format format, std::uint32_t code, Flags& flags);

enum class Rounding : std::uint8_t { nearest_even, stochastic };
enum class Overflow : std::uint8_t { infinity, saturate };

struct Narrowing {
  Format format = Format::fp32;
  Rounding rounding = Rounding::nearest_even;
  Overflow overflow = Overflow::infinity;
};

/// fp32 to any format (docs/arithmetic.md, "Narrowing"). `random` is the generator's number; only stochastic rounding
/// looks at it. Adds to `flags`.
std::uint32_t narrow(const Narrowing& how, float value, std::uint32_t random, Flags& flags);

/// To nearest, overflow to infinity, and nobody asks for flags.
std::uint32_t narrow(Format format, float value);

}  // namespace firstlight::arithmetic
