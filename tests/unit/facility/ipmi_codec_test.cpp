#include <freeipmi/freeipmi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lab/drivers/ipmi/sdr.h"

namespace firstlight::ipmi {
namespace {

std::optional<double> by_freeipmi(const Factors& factors, std::uint8_t raw) {
  double value = 0;
  if (ipmi_sensor_decode_value(static_cast<std::int8_t>(factors.k2), static_cast<std::int8_t>(factors.k1),
                               static_cast<std::int16_t>(factors.m), static_cast<std::int16_t>(factors.b),
                               factors.linearisation, factors.format, raw, &value) < 0 ||
      !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// Where M x and B 10^K1 cancel, what is left is rounding or zero, and functions of it are anything.
bool cancels(const Factors& factors, std::uint8_t raw) {
  Factors linear = factors;
  linear.linearisation = 0;
  linear.k2 = 0;
  const double left = std::fabs(convert(linear, raw).value());
  const double offset = std::fabs(factors.b * std::pow(10, factors.k1));
  return left <= 1e-6 * offset;
}

void expect_same(const Factors& factors, std::uint8_t raw) {
  if (cancels(factors, raw)) return;
  const auto ours = convert(factors, raw);
  const auto theirs = by_freeipmi(factors, raw);
  const std::string what = "M " + std::to_string(factors.m) + " B " + std::to_string(factors.b) + " K1 " +
                           std::to_string(factors.k1) + " K2 " + std::to_string(factors.k2) + " L " +
                           std::to_string(factors.linearisation) + " format " + std::to_string(factors.format) +
                           " raw " + std::to_string(raw);
  ASSERT_EQ(ours.has_value(), theirs.has_value()) << what;
  if (ours) {
    const bool logarithm = factors.linearisation >= 1 && factors.linearisation <= 3;  // of nearly one is nearly nothing
    ASSERT_NEAR(*ours, *theirs, 1e-9 * std::fabs(*theirs) + (logarithm ? 1e-9 : 1e-300)) << what;
  }
}

TEST(IpmiConversion, AgreesWithFreeIpmiOverEveryRawValueAndFunction) {
  for (std::uint8_t function = 0; function <= 0x0a; ++function)
    for (std::uint8_t format = 0; format <= 2; ++format)
      for (int raw = 0; raw < 256; ++raw) {
        Factors factors;
        factors.m = 3;
        factors.b = 2;
        factors.k2 = -1;
        factors.linearisation = function;
        factors.format = format;
        expect_same(factors, static_cast<std::uint8_t>(raw));
      }
}

TEST(IpmiConversion, AgreesWithFreeIpmiOnRandomFactors) {
  const unsigned seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int i = 0; i < 20000; ++i) {
    Factors factors;
    factors.m = between(-512, 511);
    factors.b = between(-512, 511);
    factors.k1 = between(-8, 7);
    factors.k2 = between(-8, 7);
    factors.format = static_cast<std::uint8_t>(between(0, 2));
    factors.linearisation = static_cast<std::uint8_t>(between(0, 0x0a));
    expect_same(factors, static_cast<std::uint8_t>(between(0, 255)));
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(IpmiConversion, HasNoNumberForAFormatWithoutNumbers) {
  Factors factors;
  factors.m = 1;
  factors.format = 3;
  EXPECT_FALSE(convert(factors, 1));
}

TEST(IpmiConversion, HasNoNumberOutOfAFunctionsDomain) {
  Factors factors;
  factors.m = 1;
  factors.linearisation = 1;  // ln
  EXPECT_FALSE(convert(factors, 0));
  for (const int reserved : {0x0b, 0x0c, 0x6f}) {
    factors.linearisation = static_cast<std::uint8_t>(reserved);
    EXPECT_FALSE(convert(factors, 1)) << reserved;
  }
}

TEST(IpmiFactors, UnpacksTenBitNumbersAndNibblesWithTheirSigns) {
  Factors factors;
  // M = 0x200 (-512), B = 0x3ff (-1), K2 = 0x8 (-8), K1 = 0x7 (7); tolerance and accuracy bits set all the same.
  const std::uint8_t bytes[6] = {0x00, 0x80 | 0x3f, 0xff, 0xc0 | 0x3f, 0xff, 0x87};
  unpack_factors(bytes, factors);
  EXPECT_EQ(factors.m, -512);
  EXPECT_EQ(factors.b, -1);
  EXPECT_EQ(factors.k2, -8);
  EXPECT_EQ(factors.k1, 7);
}

/// A full sensor record: 48 bytes of IPMI 2.0, 43.1, and the name.
std::vector<std::uint8_t> full_record(const std::string& name, std::uint8_t type_length) {
  std::vector<std::uint8_t> record(48, 0);
  record[2] = 0x51;
  record[3] = 0x01;
  record[5] = 0x20;
  record[7] = 0x42;
  record[13] = 0x01;
  record[20] = 0x80;  // twos' complement
  record[21] = 4;     // volts
  record[24] = 25;
  record[29] = 0xd0;  // K2 = -3
  record[47] = type_length;
  record.insert(record.end(), name.begin(), name.end());
  record[4] = static_cast<std::uint8_t>(record.size() - 5);
  return record;
}

TEST(IpmiRecord, IsRead) {
  const auto sensor = parse_sensor(full_record("P12V", 0xc4));
  ASSERT_TRUE(sensor);
  EXPECT_EQ(sensor->name, "P12V");
  EXPECT_EQ(sensor->number, 0x42);
  EXPECT_EQ(sensor->owner, 0x20);
  EXPECT_TRUE(sensor->full);
  EXPECT_TRUE(sensor->threshold);
  EXPECT_DOUBLE_EQ(convert(sensor->factors, 0xff).value(), -0.025);
  EXPECT_EQ(unit_of(*sensor)->dimension, Dimension::voltage);
}

TEST(IpmiRecord, DropsBlanksBehindAName) { EXPECT_EQ(parse_sensor(full_record("P12V  ", 0xc6))->name, "P12V"); }

TEST(IpmiRecord, RefusesOneThatIsCutAnywhere) {
  const std::vector<std::uint8_t> whole = full_record("P12V", 0xc4);
  for (std::size_t size = 4; size < whole.size(); ++size)
    EXPECT_THROW(parse_sensor({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}),
                 std::invalid_argument)
        << size;
}

TEST(IpmiRecord, SkipsOtherTypes) {
  std::vector<std::uint8_t> record = full_record("x", 0xc1);
  record[3] = 0x11;  // a FRU locator
  EXPECT_FALSE(parse_sensor(record));
}

TEST(IpmiUnit, OfARatioOfUnitsIsAPlainNumber) {
  Sensor sensor;
  sensor.base_unit = 1;
  sensor.modified = true;
  EXPECT_FALSE(unit_of(sensor));
}

TEST(IpmiUnit, ConvertsFahrenheit) {
  Sensor sensor;
  sensor.base_unit = 2;
  EXPECT_NEAR(unit_of(sensor)->to_base(212).value, 100, 1e-9);
}

}  // namespace
}  // namespace firstlight::ipmi
