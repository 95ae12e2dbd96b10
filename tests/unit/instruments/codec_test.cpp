#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tb/instruments/pmbus_codec.h"

namespace tb::instruments::pmbus {
namespace {

std::uint8_t pec_of(std::initializer_list<int> bytes) {
  Pec pec;
  for (const int byte : bytes) pec.add(static_cast<std::uint8_t>(byte));
  return pec.value();
}

TEST(Pec, IsCrc8OverAllBytesWithTheAddresses) {
  EXPECT_EQ(pec_of({'1', '2', '3', '4', '5', '6', '7', '8', '9'}), 0xf4);  // the catalogue's check value of CRC-8
  EXPECT_EQ(pec_of({0x80, 0x8b, 0x81, 0x00, 0x98}), 0x8d);                 // READ_VOUT of 0x40
  EXPECT_EQ(pec_of({0x80, 0x79, 0x81, 0x00, 0x00}), 0x63);                 // READ STATUS_WORD
  EXPECT_EQ(pec_of({0x80, 0x00, 0x01}), 0x0c);                             // PAGE 1
  EXPECT_EQ(pec_of({0x80, 0x03}), 0xbf);                                   // CLEAR_FAULTS
  EXPECT_EQ(pec_of({0x80, 0x21, 0xcd, 0x0c}), 0x39);                       // VOUT_COMMAND
}

TEST(Linear11, DecodesWithBothSigns) {
  EXPECT_DOUBLE_EQ(decode_linear11(0xd280), 10.0);
  EXPECT_DOUBLE_EQ(decode_linear11(0xe7d0), -3.0);
  EXPECT_DOUBLE_EQ(decode_linear11(0xebe8), 125.0);
  EXPECT_DOUBLE_EQ(decode_linear11(0x07ff), -1.0);
  EXPECT_DOUBLE_EQ(decode_linear11(0x0400), -1024.0);
  EXPECT_DOUBLE_EQ(decode_linear11(0xffff), -0.5);
}

TEST(Linear11, EncodesToHalfAStepOfItsMantissa) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-4, 6);
  for (int i = 0; i < 10000; ++i) {
    const double value = std::pow(10.0, exponent(random)) * (i % 2 == 0 ? 1 : -1);
    EXPECT_NEAR(decode_linear11(encode_linear11(value)), value, std::abs(value) / 1000 + std::ldexp(0.5, -16)) << value;
  }
  EXPECT_DOUBLE_EQ(decode_linear11(encode_linear11(0)), 0.0);
  EXPECT_DOUBLE_EQ(decode_linear11(encode_linear11(12.0)), 12.0);
  EXPECT_DOUBLE_EQ(decode_linear11(encode_linear11(1e12)), 1023.0 * 32768);
  EXPECT_DOUBLE_EQ(decode_linear11(encode_linear11(-1e12)), -1024.0 * 32768);
}

TEST(Linear16, IsUnsignedWithTheExponentOfVoutMode) {
  EXPECT_DOUBLE_EQ(decode_linear16(0x9800, -13), 4.75);
  EXPECT_NEAR(decode_linear16(0x0ccd, -12), 0.8000488, 1e-7);
  EXPECT_EQ(encode_linear16(0.8, -12), 0x0ccd);
  EXPECT_EQ(encode_linear16(-0.1, -12), 0);
  EXPECT_EQ(encode_linear16(100, -12), 0xffff);
}

}  // namespace
}  // namespace tb::instruments::pmbus
