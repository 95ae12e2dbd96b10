#include "tb/golden/fp/formats.h"

namespace tb::golden::fp {

const FormatInfo& info(Format format) {
  static constexpr std::array<FormatInfo, kFormats.size()> kInfo{{
      {"fp32", 32, 23, 127, 0x7f7fffff, 0x7fc00000, true},
      {"fp16", 16, 10, 15, 0x7bff, 0x7e00, true},
      {"bf16", 16, 7, 127, 0x7f7f, 0x7fc0, true},
      {"fp8_e4m3", 8, 3, 7, 0x7e, 0x7f, false},
      {"fp8_e5m2", 8, 2, 15, 0x7b, 0x7e, true},
  }};
  return kInfo[static_cast<std::size_t>(format)];
}

Number take_apart(Format format, std::uint32_t code) {
  const FormatInfo& f = info(format);
  const std::uint32_t magnitude = code & (f.sign_bit() - 1);
  Number number;
  number.negative = (code & f.sign_bit()) != 0;
  if (magnitude > f.largest) {
    const bool infinite = f.has_infinity && magnitude == f.infinity();
    const bool quiet = !f.has_infinity || (magnitude >> (f.fraction_bits - 1) & 1) != 0;
    number.kind = infinite ? Kind::kInfinite : quiet ? Kind::kQuietNan : Kind::kSignallingNan;
    return number;
  }
  const std::uint32_t one = std::uint32_t{1} << f.fraction_bits;
  const auto biased = static_cast<int>(magnitude >> f.fraction_bits);
  number.significand = biased == 0 ? magnitude : (magnitude & (one - 1)) | one;
  number.exponent = (biased == 0 ? 1 : biased) - f.bias - static_cast<int>(f.fraction_bits);
  return number;
}

int highest_bit(std::uint32_t value) {
  int bit = 0;
  while (value >>= 1U) ++bit;
  return bit;
}

}  // namespace tb::golden::fp
