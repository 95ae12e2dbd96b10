#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace firstlight {

/// What became of a measurement, step, phase or run; worst last.
enum class Verdict : std::uint8_t { pass, marginal, skip, fail, aborted, error };

inline constexpr std::array<std::string_view, 6> kVerdictNames = {"pass", "marginal", "skip",
                                                                  "fail", "aborted",  "error"};

constexpr std::string_view name_of(Verdict verdict) { return kVerdictNames[static_cast<std::size_t>(verdict)]; }
constexpr Verdict worst(Verdict a, Verdict b) { return std::max(a, b); }
/// True for pass, marginal and skip.
constexpr bool is_good(Verdict verdict) { return verdict <= Verdict::skip; }

}  // namespace firstlight
