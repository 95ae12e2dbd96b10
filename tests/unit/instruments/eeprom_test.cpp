#include "tb/instruments/eeprom.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/instruments/desk.h"

namespace tb::instruments::testing {
namespace {

FruBoardInfo info() { return {"Firstlight", "Board", "FL-TERN-0001", "FL-BRD-A0", "F", 0x123456}; }

std::uint8_t sum(const Bytes& bytes, std::size_t from, std::size_t count) {
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(from);
  return static_cast<std::uint8_t>(std::accumulate(first, first + static_cast<std::ptrdiff_t>(count), 0));
}

TEST(Fru, HeaderPointsToAreasThatAddUpToZero) {
  const Bytes image = make_fru(info(), 256);
  ASSERT_EQ(image.size(), 256U);
  EXPECT_EQ(image[0], 1);
  EXPECT_EQ(sum(image, 0, 8), 0);
  for (const std::size_t pointer : {3U, 4U}) {
    const std::size_t area = image[pointer] * 8U;
    ASSERT_GT(area, 0U);
    EXPECT_EQ(image[area], 1);
    EXPECT_EQ(sum(image, area, image[area + 1] * 8U), 0);
  }
}

TEST(Fru, BoardAreaHoldsItsFieldsInOrder) {
  const Bytes image = make_fru(info(), 256);
  std::size_t at = image[3] * 8U;
  EXPECT_EQ(image[at + 3] | image[at + 4] << 8 | image[at + 5] << 16, 0x123456);
  at += 6;
  for (const char* expected : {"Firstlight", "Board", "FL-TERN-0001", "FL-BRD-A0", "F "}) {
    ASSERT_EQ(image[at] & 0xc0, 0xc0);
    const std::size_t length = image[at] & 0x3fU;
    const auto first = image.begin() + static_cast<std::ptrdiff_t>(at + 1);
    EXPECT_EQ(std::string(first, first + static_cast<std::ptrdiff_t>(length)), expected);
    at += 1 + length;
  }
  EXPECT_EQ(image[at], 0xc1);
}

TEST(Fru, RefusesWhatDoesNotFit) {
  FruBoardInfo big = info();
  big.product = std::string(64, 'x');
  EXPECT_THROW(make_fru(big, 256), std::invalid_argument);
  EXPECT_THROW(make_fru(info(), 64), std::invalid_argument);
}

TEST(Eeprom, ReadsGoOnAtThePointerAndWrap) {
  I2cBusModel bus(agenda(), firstlight::Frequency(400e3));
  Eeprom eeprom({10, 11, 12, 13});
  bus.attach(0x50, eeprom);
  EXPECT_EQ(read(bus, 0x50, 2, 3).data, (Bytes{12, 13, 10}));
  EXPECT_EQ(transfer(bus, 0x50, {firstlight::I2cMessage::reading(1)}).data, (Bytes{11}));
  EXPECT_EQ(write(bus, 0x50, {0, 99}).status, firstlight::I2cStatus::data_nack);
  EXPECT_EQ(read(bus, 0x50, 0, 1).data, (Bytes{10}));
}

}  // namespace
}  // namespace tb::instruments::testing
