#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "lab/drivers/pmbus/format.h"
#include "lab/drivers/pmbus/linear.h"
#include "lab/drivers/pmbus/pec.h"
#include "lab/drivers/pmbus/status.h"
#include "lab/drivers/pmbus/vid.h"

namespace firstlight::pmbus {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(Linear11, DecodesPublishedValues) {
  EXPECT_DOUBLE_EQ(decode_linear11(0xD280), 10.0);
  EXPECT_DOUBLE_EQ(decode_linear11(0xE7D0), -3.0);
  EXPECT_DOUBLE_EQ(decode_linear11(0xEBE8), 125.0);
  EXPECT_DOUBLE_EQ(decode_linear11(0x07FF), -1.0);
  EXPECT_DOUBLE_EQ(decode_linear11(0x0400), -1024.0);
  EXPECT_DOUBLE_EQ(decode_linear11(0xFFFF), -0.5);
}

TEST(Linear11, ExtendsTheSignOfBothFields) {
  EXPECT_DOUBLE_EQ(decode_linear11(0x7801), std::ldexp(1.0, 15));    // exponent +15
  EXPECT_DOUBLE_EQ(decode_linear11(0x8001), std::ldexp(1.0, -16));   // exponent -16
  EXPECT_DOUBLE_EQ(decode_linear11(0x87FF), -std::ldexp(1.0, -16));  // both negative
  EXPECT_DOUBLE_EQ(decode_linear11(0x7C00), -1024 * std::ldexp(1.0, 15));
}

TEST(Linear11, EveryCodeSurvivesDecodeAndEncode) {
  for (unsigned code = 0; code <= 0xffff; ++code) {
    const double value = decode_linear11(static_cast<std::uint16_t>(code));
    // The format itself, in integers: mantissa times two to the exponent, both two's complement.
    const int exponent = static_cast<int>(code >> 11U) - ((code & 0x8000U) != 0 ? 32 : 0);
    const int mantissa = static_cast<int>(code & 0x7ffU) - ((code & 0x400U) != 0 ? 2048 : 0);
    ASSERT_EQ(value, mantissa * std::exp2(exponent)) << std::hex << code;
    const auto again = encode_linear11(value);
    ASSERT_TRUE(again) << std::hex << code;
    ASSERT_EQ(decode_linear11(*again), value) << std::hex << code;
  }
}

TEST(Linear11, EncodesToTheNearestWithTheBestResolution) {
  std::mt19937_64 random(20260101);
  std::uniform_real_distribution<double> exponent(-14, 24);
  for (int i = 0; i < 100000; ++i) {
    const double value = std::exp2(exponent(random)) * (i % 2 == 0 ? 1 : -1);
    const auto code = encode_linear11(value);
    ASSERT_TRUE(code) << value;
    // At least 10 significant bits wherever the exponent's range lets it.
    const double bound = std::max(std::fabs(value) * std::exp2(-10), std::exp2(-17));
    ASSERT_LE(std::fabs(decode_linear11(*code) - value), bound) << value;
  }
}

TEST(Linear11, RefusesWhatItCannotHold) {
  EXPECT_TRUE(encode_linear11(1023 * std::exp2(15)));
  EXPECT_FALSE(encode_linear11(1025 * std::exp2(15)));
  EXPECT_FALSE(encode_linear11(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(encode_linear11(std::numeric_limits<double>::infinity()));
}

TEST(Linear16, DecodesPublishedValues) {
  EXPECT_DOUBLE_EQ(decode_linear16(0x9800, decode_vout_mode(0x13).exponent), 4.75);
  EXPECT_NEAR(decode_linear16(0x0CCD, decode_vout_mode(0x14).exponent), 0.8000488, 1e-7);
}

TEST(Linear16, EveryCodeSurvivesInEveryExponent) {
  for (int exponent = -16; exponent <= 15; ++exponent)
    for (unsigned code = 0; code <= 0xffff; ++code) {
      const double value = decode_linear16(static_cast<std::uint16_t>(code), exponent);
      ASSERT_EQ(encode_linear16(value, exponent), static_cast<std::uint16_t>(code)) << exponent;
    }
}

TEST(Linear16, RefusesWhatItCannotHold) {
  EXPECT_FALSE(encode_linear16(-0.1, -12));
  EXPECT_FALSE(encode_linear16(16.0, -12));
  EXPECT_FALSE(encode_linear16(std::numeric_limits<double>::quiet_NaN(), -12));
}

TEST(VoutModeByte, TellsFormatAndExponent) {
  EXPECT_EQ(decode_vout_mode(0x14).exponent, -12);
  EXPECT_EQ(decode_vout_mode(0x0f).exponent, 15);
  EXPECT_EQ(decode_vout_mode(0x21).format, VoutMode::Format::vid);
  EXPECT_EQ(decode_vout_mode(0x40).format, VoutMode::Format::direct);
  EXPECT_EQ(decode_vout_mode(0x60).format, VoutMode::Format::half);
  EXPECT_TRUE(decode_vout_mode(0x94).relative);
  EXPECT_EQ(to_text(decode_vout_mode(0x14)), "0x14 (linear, 2^-12 V)");
}

TEST(Direct, EveryCodeSurvives) {
  for (const DirectCoefficients c : {DirectCoefficients{1, 0, 0}, {4096, -10, -2}, {-7, 3, 1}})
    for (unsigned code = 0; code <= 0xffff; ++code)
      ASSERT_EQ(encode_direct(decode_direct(static_cast<std::uint16_t>(code), c), c), static_cast<std::uint16_t>(code));
}

TEST(Direct, FollowsTheFormula) {
  EXPECT_NEAR(decode_direct(0x00c8, {2, 100, 0}), 50.0, 1e-12);    // (200 - 100) / 2
  EXPECT_NEAR(decode_direct(0xff38, {2, 100, 0}), -150.0, 1e-12);  // Y is signed
  EXPECT_FALSE(encode_direct(40000, {1, 0, 0}));
}

TEST(Half, EveryFiniteCodeSurvives) {
  for (unsigned code = 0; code <= 0xffff; ++code) {
    const double value = decode_half(static_cast<std::uint16_t>(code));
    if (!std::isfinite(value)) {
      ASSERT_EQ(code & 0x7c00U, 0x7c00U);
      continue;
    }
    ASSERT_EQ(encode_half(value), static_cast<std::uint16_t>(code)) << std::hex << code;
  }
}

TEST(Half, KnownValuesAndRounding) {
  EXPECT_DOUBLE_EQ(decode_half(0x3c00), 1.0);
  EXPECT_DOUBLE_EQ(decode_half(0xc000), -2.0);
  EXPECT_DOUBLE_EQ(decode_half(0x7bff), 65504.0);
  EXPECT_DOUBLE_EQ(decode_half(0x0001), std::exp2(-24));
  EXPECT_EQ(encode_half(1.0 + std::exp2(-11)), 0x3c00);      // a tie goes to even
  EXPECT_EQ(encode_half(1.0 + 3 * std::exp2(-11)), 0x3c02);  // and so does the next
  EXPECT_EQ(encode_half(0.85), 0x3acd);
  EXPECT_FALSE(encode_half(65520.0));
}

TEST(Vid, EveryCodeOfEveryTableSurvivesAndNoOtherCodeIsAVoltage) {
  for (const std::string& name : vid_table_names()) {
    const VidTable& table = *find_vid_table(name);
    for (unsigned code = 0; code <= 0xffff; ++code) {
      const auto volts = decode_vid(static_cast<std::uint16_t>(code), table);
      const bool off = code == 0 && table.zero_is_off;
      const bool inside = static_cast<int>(code) >= table.first && static_cast<int>(code) <= table.last;
      ASSERT_EQ(volts.has_value(), off || inside) << name << " " << code;
      if (!volts) continue;
      ASSERT_EQ(encode_vid(*volts, table), static_cast<std::uint16_t>(code)) << name;
    }
  }
}

TEST(Vid, KnownValues) {
  const auto volts = [](const char* table, std::uint16_t code) { return *decode_vid(code, *find_vid_table(table)); };
  EXPECT_NEAR(volts("vr11", 0x02), 1.6, 1e-12);
  EXPECT_NEAR(volts("vr11", 0xb2), 0.5, 1e-12);
  EXPECT_NEAR(volts("vr12", 0x01), 0.25, 1e-12);
  EXPECT_NEAR(volts("vr12", 0xff), 1.52, 1e-12);
  EXPECT_NEAR(volts("vr13", 0x33), 1.0, 1e-12);
  EXPECT_NEAR(volts("imvp9", 0x01), 0.2, 1e-12);
  EXPECT_NEAR(volts("amd625mv", 0x00), 1.55, 1e-12);
  EXPECT_NEAR(volts("amd625mv", 0xd8), 0.2, 1e-12);
  EXPECT_NEAR(volts("nvidia195mv", 0xb2), 1.08, 1e-12);
  EXPECT_EQ(find_vid_table("vr14"), nullptr);
}

TEST(Vid, EncodesToTheNearestAndRefusesTheRest) {
  const VidTable& vr13 = *find_vid_table("vr13");
  EXPECT_EQ(encode_vid(0.8499, vr13), 0x24);
  EXPECT_EQ(encode_vid(0.0, vr13), 0);
  EXPECT_FALSE(encode_vid(0.1, vr13));
  EXPECT_FALSE(encode_vid(3.1, vr13));
  EXPECT_FALSE(encode_vid(std::numeric_limits<double>::quiet_NaN(), vr13));
  EXPECT_FALSE(encode_vid(0.0, *find_vid_table("amd625mv"))) << "it has no code for off";
}

TEST(Direct, TakesCoefficientsThatAShuntHasScaled) {
  // ADM1272, 30 mV range, 0.3 mOhm: the data sheet's m = 663 for 1 mOhm.
  const DirectCoefficients current{663 * 0.3, 20480, -1};
  EXPECT_NEAR(decode_direct(2543, current), 24.89, 0.01);
  for (unsigned code = 0; code <= 0xffff; ++code)
    ASSERT_EQ(encode_direct(decode_direct(static_cast<std::uint16_t>(code), current), current),
              static_cast<std::uint16_t>(code));
}

TEST(Format, EveryCodeSurvivesInEveryFormat) {
  std::vector<NumberFormat> formats(5);
  formats[1].kind = NumberFormat::Kind::linear16;
  formats[1].exponent = -12;
  formats[2].kind = NumberFormat::Kind::direct;
  formats[2].direct = {1, 0, 3};
  formats[3].kind = NumberFormat::Kind::half;
  formats[4].kind = NumberFormat::Kind::vid;
  formats[4].vid = find_vid_table("vr12");
  for (const NumberFormat& format : formats)
    for (unsigned code = 0; code <= 0xffff; ++code) {
      const auto value = decode(static_cast<std::uint16_t>(code), format);
      if (!value) continue;
      const auto again = encode(*value, format);
      ASSERT_TRUE(again) << to_text(format) << " " << code;
      ASSERT_EQ(decode(*again, format), value) << to_text(format) << " " << code;
    }
  EXPECT_FALSE(decode(0x7c00, formats[3])) << "infinite";
  EXPECT_FALSE(decode(0x0100, formats[4])) << "beyond the table";
  EXPECT_FALSE(decode(1, NumberFormat{NumberFormat::Kind::vid, 0, {}, nullptr, false, false}));
}

TEST(Format, KnowsWhatEachCommandMeans) {
  EXPECT_EQ(class_of(Command::READ_VOUT), NumberClass::voltage_out);
  EXPECT_EQ(class_of(Command::TON_RISE), NumberClass::time);
  EXPECT_EQ(class_of(Command::STATUS_WORD), NumberClass::none);
  for (const NumberClass one : {NumberClass::voltage_in, NumberClass::power, NumberClass::time})
    EXPECT_EQ(number_class_of(name_of(one)), one);
}

TEST(CommandName, GoesBothWays) {
  for (const std::string& name : command_names()) EXPECT_EQ(name_of(*command_of(name)), name);
  EXPECT_EQ(command_of("0xd0"), static_cast<Command>(0xd0));
  for (const char* bad : {"READ_VUOT", "0xd", "0xd01", "0xgg", "208", ""}) EXPECT_FALSE(command_of(bad)) << bad;
}

TEST(Pec, PublishedVectors) {
  const std::string check = "123456789";
  EXPECT_EQ(pec(Bytes(check.begin(), check.end())), 0xF4);
  EXPECT_EQ(pec_of_read(0x40, {0x8B}, {0x00, 0x98}), 0x8D);
  EXPECT_EQ(pec_of_read(0x40, {0x79}, {0x00, 0x00}), 0x63);
  EXPECT_EQ(pec_of_write(0x40, {0x00, 0x01}), 0x0C);
  EXPECT_EQ(pec_of_write(0x40, {0x03}), 0xBF);
  EXPECT_EQ(pec_of_write(0x40, {0x21, 0xCD, 0x0C}), 0x39);
}

TEST(Pec, FindsEverySingleAndDoubleBitErrorOfAWordRead) {
  const Bytes good = {0x80, 0x8b, 0x81, 0x00, 0x98};
  for (unsigned a = 0; a < 40; ++a)
    for (unsigned b = a; b < 40; ++b) {
      Bytes bad = good;
      bad[a / 8] = static_cast<std::uint8_t>(bad[a / 8] ^ (1U << (a % 8)));
      if (b != a) bad[b / 8] = static_cast<std::uint8_t>(bad[b / 8] ^ (1U << (b % 8)));
      ASSERT_NE(pec(bad), pec(good)) << a << " " << b;
    }
}

TEST(Status, NamesBits) {
  EXPECT_THAT(bits_of(Command::STATUS_VOUT, 0x14), testing::ElementsAre("VOUT_UV_FAULT", "TON_MAX_FAULT"));
  EXPECT_THAT(bits_of(Command::STATUS_CML, 0xa0), testing::ElementsAre("INVALID_COMMAND", "PEC_FAILED"));
  EXPECT_THAT(bits_of(Command::STATUS_MFR_SPECIFIC, 0x01), testing::ElementsAre("MFR_SPECIFIC_0"));
  EXPECT_THAT(bits_of(Command::STATUS_INPUT, 0x08), testing::ElementsAre("UNIT_OFF_FOR_LOW_VIN"));
  EXPECT_TRUE(bits_of(Command::STATUS_IOUT, 0).empty());
  EXPECT_THAT(details_of(0x9002),
              testing::ElementsAre(Command::STATUS_VOUT, Command::STATUS_MFR_SPECIFIC, Command::STATUS_CML));
  EXPECT_TRUE(details_of(0x0840).empty());
}

}  // namespace
}  // namespace firstlight::pmbus
