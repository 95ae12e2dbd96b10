#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <modbus/modbus.h>

#include <cmath>
#include <cstring>
#include <random>

#include "lab/core/failure.h"
#include "lab/drivers/modbus/device_map.h"

namespace firstlight::modbus {
namespace {

using testing::HasSubstr;

std::string complaint(const std::string& text) {
  try {
    parse_device_map("map.yaml", text);
  } catch (const FailureError& error) {
    EXPECT_EQ(error.failure().error_class, ErrorClass::bench);
    return error.failure().message;
  }
  return "no complaint";
}

TEST(ModbusCodec, ComesBackFromEveryFormat) {
  const unsigned seed = std::random_device{}();
  RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  for (const Format format : {Format::u16, Format::s16, Format::u32, Format::s32})
    for (const bool low_first : {false, true})
      for (int i = 0; i < 2000; ++i) {
        Point point;
        point.format = format;
        point.low_word_first = low_first;
        std::vector<std::uint16_t> words;
        for (int word = 0; word < point.registers(); ++word) words.push_back(static_cast<std::uint16_t>(random()));
        const double raw = decode(point, words);
        ASSERT_EQ(encode(point, raw), words) << "seed " << seed << " raw " << raw;
      }
}

TEST(ModbusCodec, AgreesWithLibmodbusOnFloats) {
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  Point point;
  point.format = Format::f32;
  for (int i = 0; i < 5000; ++i) {
    const std::vector<std::uint16_t> words = {static_cast<std::uint16_t>(random()),
                                              static_cast<std::uint16_t>(random())};
    point.low_word_first = false;
    const auto high_first = static_cast<double>(modbus_get_float_abcd(words.data()));
    const double ours = decode(point, words);
    ASSERT_TRUE(ours == high_first || (std::isnan(ours) && std::isnan(high_first))) << "seed " << seed;
    point.low_word_first = true;
    const auto low_first = static_cast<double>(modbus_get_float_cdab(words.data()));
    const double swapped = decode(point, words);
    ASSERT_TRUE(swapped == low_first || (std::isnan(swapped) && std::isnan(low_first))) << "seed " << seed;
  }
}

TEST(ModbusCodec, RefusesWhatDoesNotFit) {
  Point point;
  point.format = Format::u16;
  EXPECT_FALSE(encode(point, -1));
  EXPECT_FALSE(encode(point, 65536));
  EXPECT_FALSE(encode(point, std::nan("")));
  point.format = Format::s16;
  EXPECT_FALSE(encode(point, 32768));
  EXPECT_EQ(encode(point, -1), (std::vector<std::uint16_t>{0xffff}));
  point.format = Format::f32;
  EXPECT_FALSE(encode(point, 1e300));
}

TEST(ModbusMap, IsRead) {
  const DeviceMap map = parse_device_map("map.yaml", R"(
device: chiller
unit: 7
word_order: low_first
pacing: 20 ms
identity: {holding: 1000, value: 4711}
readings:
  supply: {input: 3, type: s16, scale: 0.1, unit: degC, invalid: [0x7fff]}
  total: {input: 4, type: u32, word_order: high_first}
settings:
  supply: {holding: 10, type: s16, scale: 0.1, unit: degC, min: 5 degC, max: 40 degC}
outputs:
  pump: {holding: 12, on: 0xff, off: 0}
)");
  EXPECT_EQ(map.unit, 7);
  EXPECT_EQ(map.identity_value, 4711);
  ASSERT_EQ(map.readings.size(), 2U);
  EXPECT_EQ(map.readings[0].table, ModbusTable::input_registers);
  EXPECT_NEAR(map.readings[0].unit.to_base(map.readings[0].scale * 255).value, 25.5, 1e-9);
  EXPECT_TRUE(map.readings[0].low_word_first);
  EXPECT_FALSE(map.readings[1].low_word_first);
  EXPECT_NEAR(map.settings[0].resolution(), 0.1, 1e-12);
  EXPECT_EQ(map.outputs[0].on, 0xff);
}

TEST(ModbusMap, ConvertsUnits) {
  const DeviceMap map = parse_device_map(
      "map.yaml", "device: x\nreadings:\n  p: {input: 0, scale: 0.01, unit: kPa}\n  q: {input: 1, unit: L/min}\n");
  EXPECT_NEAR(map.readings[0].unit.to_base(map.readings[0].scale * 15000).value, 150e3, 1e-6);
  EXPECT_EQ(map.readings[1].unit.dimension, Dimension::flow);
}

TEST(ModbusMap, TellsWhatIsWrongWithItsPlace) {
  EXPECT_THAT(complaint("device: x\nreadings:\n  a: {input: 70000}\n"), HasSubstr("map.yaml:3:"));
  EXPECT_THAT(complaint("device: x\nreadings:\n  a: {input: 0, holding: 0}\n"), HasSubstr("one of `coil`"));
  EXPECT_THAT(complaint("device: x\nreadings:\n  a: {input: 0, unit: furlong}\n"), HasSubstr("no unit"));
  EXPECT_THAT(complaint("device: x\nreadings:\n  a: {input: 0, tpye: s16}\n"), HasSubstr("did you mean: type"));
  EXPECT_THAT(complaint("device: x\nsettings:\n  a: {holding: 0}\n"), HasSubstr("needs `max`"));
  EXPECT_THAT(complaint("device: x\nsettings:\n  a: {input: 0, max: 1}\n"), HasSubstr("cannot be written"));
  EXPECT_THAT(complaint("device: x\noutputs:\n  a: {holding: 0, on: 1, off: 1}\n"), HasSubstr("the same number"));
  EXPECT_THAT(complaint("device: x\n"), HasSubstr("no readings"));
  EXPECT_THAT(complaint("device: [\n"), HasSubstr("map.yaml"));
}

TEST(ModbusMap, OfTheProgramAreGood) {
  ASSERT_FALSE(known_device_maps().empty());
  for (const std::string& name : known_device_maps()) EXPECT_EQ(load_device_map(name).name, name);
}

TEST(ModbusMap, NamesTheNearestOfThoseItKnows) {
  try {
    load_device_map("watlow-f5");
    FAIL();
  } catch (const FailureError& error) {
    EXPECT_THAT(error.failure().message, HasSubstr("did you mean \"watlow-f4\"?"));
  }
}

}  // namespace
}  // namespace firstlight::modbus
