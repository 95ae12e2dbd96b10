#include "lab/drivers/ipmi/sdr.h"

#include <cmath>
#include <stdexcept>

#include "lab/drivers/fru.h"

namespace firstlight::ipmi {

namespace {

constexpr std::uint8_t kFullRecord = 0x01;
constexpr std::uint8_t kCompactRecord = 0x02;
constexpr std::size_t kFullName = 47;  // offset of the type/length byte
constexpr std::size_t kCompactName = 31;
constexpr std::uint8_t kThresholdType = 0x01;

int sign_extend(unsigned value, unsigned bits) {
  const unsigned sign = 1U << (bits - 1);
  return static_cast<int>(value ^ sign) - static_cast<int>(sign);
}

double number_of(std::uint8_t raw, std::uint8_t format) {
  if (format == 0 || raw < 0x80) return raw;
  if (format == 1) return -static_cast<double>(static_cast<std::uint8_t>(~raw));
  return static_cast<double>(raw) - 256;
}

double linearise(double y, std::uint8_t function) {
  switch (function) {
    case 0x00:
      return y;
    case 0x01:
      return std::log(y);
    case 0x02:
      return std::log10(y);
    case 0x03:
      return std::log2(y);
    case 0x04:
      return std::exp(y);
    case 0x05:
      return std::pow(10, y);
    case 0x06:
      return std::exp2(y);
    case 0x07:
      return 1 / y;
    case 0x08:
      return y * y;
    case 0x09:
      return y * y * y;
    case 0x0a:
      return std::sqrt(y);
    default:  // 0x0b among them: "cube^-1" is a cube root to some and 1/y^3 to others, and a guess is no reading
      return std::nan("");
  }
}

std::string name_at(const std::vector<std::uint8_t>& record, std::size_t at) {
  if (record.size() <= at) throw std::invalid_argument("a sensor record without a name");
  const std::size_t length = record[at] & 0x1fU;
  if (record.size() < at + 1 + length) throw std::invalid_argument("a sensor record that ends within its name");
  std::string name = fru::decode_text(record[at], record.data() + at + 1, length);
  name.resize(std::min(name.size(), name.find('\0')));
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

}  // namespace

std::optional<double> convert(const Factors& factors, std::uint8_t raw) {
  if (factors.format > 2) return std::nullopt;
  const double x = number_of(raw, factors.format);
  const double y = (factors.m * x + factors.b * std::pow(10, factors.k1)) * std::pow(10, factors.k2);
  const double value = factors.linearisation >= kNonLinear ? y : linearise(y, factors.linearisation);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

void unpack_factors(const std::uint8_t* bytes, Factors& factors) {
  factors.m = sign_extend(bytes[0] | (bytes[1] & 0xc0U) << 2U, 10);
  factors.b = sign_extend(bytes[2] | (bytes[3] & 0xc0U) << 2U, 10);
  factors.k2 = sign_extend(bytes[5] >> 4U, 4);
  factors.k1 = sign_extend(bytes[5] & 0x0fU, 4);
}

std::optional<Sensor> parse_sensor(const std::vector<std::uint8_t>& record) {
  if (record.size() < 4 || (record[3] != kFullRecord && record[3] != kCompactRecord)) return std::nullopt;
  Sensor sensor;
  sensor.full = record[3] == kFullRecord;
  sensor.name = name_at(record, sensor.full ? kFullName : kCompactName);  // the last field: the others are there
  sensor.owner = record[5];
  sensor.lun = record[6] & 0x03U;
  sensor.number = record[7];
  sensor.threshold = record[13] == kThresholdType;
  sensor.factors.format = static_cast<std::uint8_t>(record[20] >> 6U);
  sensor.modified = (record[20] & 0x3eU) != 0;
  sensor.percentage = (record[20] & 0x01U) != 0;
  sensor.base_unit = record[21];
  sensor.modifier_unit = record[22];
  if (!sensor.full) return sensor;
  sensor.factors.linearisation = record[23] & 0x7fU;
  unpack_factors(record.data() + 24, sensor.factors);
  return sensor;
}

std::optional<UnitScale> unit_of(const Sensor& sensor) {
  if (sensor.modified) return std::nullopt;
  if (sensor.percentage) return UnitScale{Dimension::ratio, 0.01, 0};
  switch (sensor.base_unit) {
    case 1:
      return UnitScale{Dimension::temperature, 1, 0};
    case 2:  // degrees Fahrenheit
      return UnitScale{Dimension::temperature, 5.0 / 9, -32 * 5.0 / 9};
    case 3:  // kelvin
      return UnitScale{Dimension::temperature, 1, -273.15};
    case 4:
      return UnitScale{Dimension::voltage, 1, 0};
    case 5:
      return UnitScale{Dimension::current, 1, 0};
    case 6:
      return UnitScale{Dimension::power, 1, 0};
    case 14:  // kPa
      return UnitScale{Dimension::pressure, 1e3, 0};
    case 15:  // pounds-force per square inch
      return UnitScale{Dimension::pressure, 6894.757293168361, 0};
    case 19:
      return UnitScale{Dimension::frequency, 1, 0};
    default:
      return std::nullopt;
  }
}

}  // namespace firstlight::ipmi
