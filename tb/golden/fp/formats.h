#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tb::golden::fp {

/// Number formats of docs/arithmetic.md by their codes. Values travel in the low bits of a word.
enum class Format : std::uint8_t { kFp32, kFp16, kBf16, kFp8E4m3, kFp8E5m2 };
enum class Rounding : std::uint8_t { kNearestEven, kStochastic };
enum class Overflow : std::uint8_t { kSaturate, kInfinity };

inline constexpr std::array kFormats{Format::kFp32, Format::kFp16, Format::kBf16, Format::kFp8E4m3, Format::kFp8E5m2};

/// What a format is made of.
struct FormatInfo {
  std::string_view name;
  unsigned bits;
  unsigned fraction_bits;
  int bias;
  std::uint32_t largest;  // code of the largest finite number
  std::uint32_t nan;      // canonical
  bool has_infinity;

  /// Exponent of the smallest normal number.
  int lowest_exponent() const { return 1 - bias; }
  std::uint32_t sign_bit() const { return std::uint32_t{1} << (bits - 1); }
  /// Code of +infinity, where there is one.
  std::uint32_t infinity() const { return largest + 1; }
};
const FormatInfo& info(Format format);

/// Sticky flags of an operation; bits as docs/arithmetic.md numbers them.
struct Flags {
  bool invalid = false;
  bool overflow = false;
  bool underflow = false;
  bool inexact = false;
  bool nan_in = false;

  unsigned bits() const {
    return unsigned{invalid} | unsigned{overflow} << 1U | unsigned{underflow} << 2U | unsigned{inexact} << 3U |
           unsigned{nan_in} << 4U;
  }
};

struct Result {
  std::uint32_t bits = 0;
  Flags flags;
};
inline bool operator==(const Result& a, const Result& b) {
  return a.bits == b.bits && a.flags.bits() == b.flags.bits();
}

enum class Kind : std::uint8_t { kFinite, kInfinite, kQuietNan, kSignallingNan };

/// A number taken apart: (-1)^negative x significand x 2^exponent when it is finite, exactly.
struct Number {
  Kind kind = Kind::kFinite;
  bool negative = false;
  std::uint32_t significand = 0;
  int exponent = 0;

  bool is_nan() const { return kind == Kind::kQuietNan || kind == Kind::kSignallingNan; }
};
/// Bits above those of the format have no say.
Number take_apart(Format format, std::uint32_t code);

/// Position of the highest one; value is not 0.
int highest_bit(std::uint32_t value);

}  // namespace tb::golden::fp
