#include <cmath>
#include <cstring>

#include "lab/drivers/modbus/device_map.h"

namespace firstlight::modbus {

namespace {

struct Range {
  double low;
  double high;
};

Range range_of(Format format) {
  switch (format) {
    case Format::bit:
      return {0, 1};
    case Format::u16:
      return {0, 65535};
    case Format::s16:
      return {-32768, 32767};
    case Format::u32:
      return {0, 4294967295.0};
    default:
      return {-2147483648.0, 2147483647.0};
  }
}

std::uint32_t joined(const Point& point, const std::vector<std::uint16_t>& words) {
  const std::uint32_t first = words[0];
  const std::uint32_t second = words[1];
  return point.low_word_first ? second << 16U | first : first << 16U | second;
}

}  // namespace

std::uint16_t Point::registers() const {
  return format == Format::u32 || format == Format::s32 || format == Format::f32 ? 2 : 1;
}

double Point::resolution() const { return format == Format::f32 ? 0 : std::fabs(scale * unit.factor); }

double decode(const Point& point, const std::vector<std::uint16_t>& words) {
  switch (point.format) {
    case Format::bit:
      return words[0] == 0 ? 0 : 1;
    case Format::u16:
      return words[0];
    case Format::s16:
      return static_cast<std::int16_t>(words[0]);
    case Format::u32:
      return joined(point, words);
    case Format::s32:
      return static_cast<std::int32_t>(joined(point, words));
    case Format::f32:
      break;
  }
  const std::uint32_t bits = joined(point, words);
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

std::optional<std::vector<std::uint16_t>> encode(const Point& point, double raw) {
  std::uint32_t bits = 0;
  if (point.format == Format::f32) {
    const auto value = static_cast<float>(raw);
    if (!std::isfinite(value)) return std::nullopt;
    std::memcpy(&bits, &value, sizeof value);
  } else {
    const double whole = std::round(raw);
    const Range range = range_of(point.format);
    if (!(whole >= range.low && whole <= range.high)) return std::nullopt;
    bits = static_cast<std::uint32_t>(static_cast<std::int64_t>(whole));
  }
  const auto low = static_cast<std::uint16_t>(bits & 0xffffU);
  const auto high = static_cast<std::uint16_t>(bits >> 16U);
  if (point.registers() == 1) return std::vector<std::uint16_t>{low};
  if (point.low_word_first) return std::vector<std::uint16_t>{low, high};
  return std::vector<std::uint16_t>{high, low};
}

}  // namespace firstlight::modbus
