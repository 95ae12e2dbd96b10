#include "lab/drivers/pmbus/linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace firstlight::pmbus {

namespace {

int sign_extend(unsigned value, unsigned bits) {
  const unsigned sign = 1U << (bits - 1);
  return static_cast<int>((value ^ sign)) - static_cast<int>(sign);
}

}  // namespace

double decode_linear11(std::uint16_t code) {
  const int exponent = sign_extend((code >> 11U) & 0x1fU, 5);
  const int mantissa = sign_extend(code & 0x7ffU, 11);
  return std::ldexp(static_cast<double>(mantissa), exponent);
}

std::optional<std::uint16_t> encode_linear11(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  if (value == 0) return std::uint16_t{0};
  for (int exponent = -16; exponent <= 15; ++exponent) {
    const double mantissa = std::nearbyint(std::ldexp(value, -exponent));
    if (mantissa < -1024 || mantissa > 1023) continue;
    const auto bits = static_cast<unsigned>(static_cast<int>(mantissa)) & 0x7ffU;
    return static_cast<std::uint16_t>(((static_cast<unsigned>(exponent) & 0x1fU) << 11U) | bits);
  }
  return std::nullopt;
}

VoutMode decode_vout_mode(std::uint8_t raw) {
  VoutMode mode;
  mode.raw = raw;
  mode.relative = (raw & 0x80U) != 0;
  mode.format = static_cast<VoutMode::Format>((raw >> 5U) & 0x3U);
  if (mode.format == VoutMode::Format::linear) mode.exponent = sign_extend(raw & 0x1fU, 5);
  return mode;
}

std::string to_text(const VoutMode& mode) {
  switch (mode.format) {
    case VoutMode::Format::linear:
      return fmt::format("0x{:02x} (linear, 2^{} V)", mode.raw, mode.exponent);
    case VoutMode::Format::vid:
      return fmt::format("0x{:02x} (VID)", mode.raw);
    case VoutMode::Format::direct:
      return fmt::format("0x{:02x} (direct)", mode.raw);
    case VoutMode::Format::half:
      return fmt::format("0x{:02x} (IEEE half)", mode.raw);
  }
  return fmt::format("0x{:02x}", mode.raw);
}

double decode_linear16(std::uint16_t code, int exponent) { return std::ldexp(static_cast<double>(code), exponent); }

std::optional<std::uint16_t> encode_linear16(double value, int exponent) {
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  const double mantissa = std::nearbyint(std::ldexp(value, -exponent));
  if (mantissa > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(mantissa);
}

double decode_direct(std::uint16_t code, const DirectCoefficients& c) {
  const auto y = static_cast<double>(sign_extend(code, 16));
  return (y * std::pow(10.0, -c.r) - c.b) / c.m;
}

std::optional<std::uint16_t> encode_direct(double value, const DirectCoefficients& c) {
  const double y = std::nearbyint((c.m * value + c.b) * std::pow(10.0, c.r));
  if (!std::isfinite(y) || y < -32768 || y > 32767) return std::nullopt;
  return static_cast<std::uint16_t>(static_cast<int>(y));
}

double decode_half(std::uint16_t code) {
  const double sign = (code & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((code >> 10U) & 0x1fU);
  const int fraction = static_cast<int>(code & 0x3ffU);
  if (exponent == 0x1f)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

std::optional<std::uint16_t> encode_half(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
  const double magnitude = std::fabs(value);
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = f * 2^exponent, 0.5 <= f < 1
  const int lsb = std::max(exponent - 11, -24);
  // With the hidden bit left in, a carry of the rounding moves into the exponent by itself.
  auto bits = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, -lsb)));
  if (magnitude != 0) bits += static_cast<unsigned>(lsb + 24) << 10U;
  if (bits >= 0x7c00U) return std::nullopt;
  return static_cast<std::uint16_t>(sign | bits);
}

}  // namespace firstlight::pmbus
