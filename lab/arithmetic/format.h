#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace firstlight::arithmetic {

/// Number formats by their codes (docs/arithmetic.md, "Formats"). A number is its bits, in the low ones of a word.
enum class Format : std::uint8_t { fp32, fp16, bf16, fp8_e4m3, fp8_e5m2 };
inline constexpr std::array kFormats{Format::fp32, Format::fp16, Format::bf16, Format::fp8_e4m3, Format::fp8_e5m2};

std::string_view name_of(Format format);
std::optional<Format> format_named(std::string_view name);
/// Of one element.
unsigned bytes_of(Format format);
bool is_fp8(Format format);

/// What happened in operations so far (docs/arithmetic.md, "Flags").
struct Flags {
  bool invalid = false;
  bool overflow = false;
  bool underflow = false;
  bool inexact = false;
  bool nan_in = false;

  /// As the engine's register has them.
  unsigned bits() const {
    return unsigned{invalid} | unsigned{overflow} << 1U | unsigned{underflow} << 2U | unsigned{inexact} << 3U |
           unsigned{nan_in} << 4U;
  }
};

}  // namespace firstlight::arithmetic
