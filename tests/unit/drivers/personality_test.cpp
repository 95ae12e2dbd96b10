#include "lab/drivers/scpi/personality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/core/failure.h"

namespace firstlight::scpi {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string complaint(const std::string& text) {
  try {
    parse_personality("x.yaml", text);
  } catch (const FailureError& error) {
    EXPECT_EQ(error.failure().symptom, "bad_personality");
    EXPECT_EQ(error.failure().error_class, ErrorClass::bench);
    return error.failure().message;
  }
  return "accepted";
}

constexpr const char* kMeter =
    "personality: x\n"
    "kind: meter\n"
    "doc: d\n"
    "verified: {source: m, hardware: none}\n";

TEST(Personalities, ThatComeWithTheProgramAreValidAndTellWhereTheirFactsAreFrom) {
  const auto known = known_personalities();
  EXPECT_GE(known.size(), 18U);
  EXPECT_THAT(known, testing::IsSupersetOf({"fl-cdu4", "fl-ck100", "fl-dm6500", "fl-ps1230"}));
  for (const std::string& name : known) {
    SCOPED_TRACE(name);
    const Personality one = load_personality(name);
    EXPECT_EQ(one.name, name);
    EXPECT_GT(one.source.size(), 20U);
    EXPECT_EQ(one.hardware, "") << "say here what it was tried on";
  }
}

TEST(Personalities, EveryErrorIsToldAtOnceWithItsPlace) {
  const std::string told = complaint(
      "personality: x\nkind: meter\ndoc: d\ntimeut: 1 s\npacing: 5\nverified: {source: m, hardware: none}\n"
      "channels: 0\ncommands:\n  measure_volts: V?\n");
  EXPECT_THAT(told, HasSubstr("x.yaml:4:1: error: a personality has no key `timeut`"));
  EXPECT_THAT(told, HasSubstr("did you mean: timeout"));
  EXPECT_THAT(told, HasSubstr("x.yaml:5:9"));
  EXPECT_THAT(told, HasSubstr("x.yaml:7:11: error: a number of channels is 1 to 1000, found 0"));
  EXPECT_THAT(told, HasSubstr("x.yaml:9:3: error: `commands` of a meter has no key `measure_volts`"));
  EXPECT_THAT(told, HasSubstr("did you mean: measure_voltage"));
  EXPECT_THAT(told, HasSubstr("lack `measure_voltage`"));
}

TEST(Personalities, NeedAKindASourceAndChannels) {
  EXPECT_THAT(complaint("personality: x\nkind: metre\ndoc: d\ncommands: {}\n"), HasSubstr("did you mean: meter"));
  EXPECT_THAT(complaint("personality: x\nkind: metre\ndoc: d\ncommands: {}\n"), HasSubstr("verified"));
  EXPECT_THAT(complaint(std::string(kMeter) + "commands: {measure_voltage: \"V?\"}\n"),
              HasSubstr("a meter needs `channels`"));
}

TEST(Personalities, CommandsHoldWhatTheyNeed) {
  EXPECT_THAT(complaint(std::string(kMeter) + "channels: 2\ncommands: {measure_voltage: \"V?\"}\n"),
              HasSubstr("must hold {channel}: the instrument has 2 channels and no `select`"));
  EXPECT_THAT(
      complaint(std::string(kMeter) + "channels: 2\nselect: \"S {channel}\"\ncommands: {measure_voltage: \"V?\"}\n"),
      "accepted");
  EXPECT_THAT(complaint(std::string(kMeter) + "channels: 1\ncommands: {measure_voltage: \"V? (@{})\"}\n"),
              HasSubstr("did you mean {channel}?"));
  EXPECT_THAT(complaint(std::string(kMeter) + "channels: 1\ncommands: {measure_voltage: {send: [], answer: \"(\"}}\n"),
              HasSubstr("is no regular expression"));
  EXPECT_THAT(
      complaint(std::string(kMeter) + "channels: 3\ncommands: {measure_voltage: {send: \"V?\", bits: [1, 2]}}\n"),
      HasSubstr("one for each of the 3, found 2"));
}

TEST(Personalities, SettingsMustBeReadBack) {
  const std::string supply =
      "personality: x\nkind: supply\ndoc: d\nverified: {source: m, hardware: none}\ncommands:\n"
      "  set_voltage: V\n  get_voltage: V?\n  set_current: I {}\n  get_current: I?\n  output_on: O1\n  output_off: O0\n"
      "  get_output: O?\n  measure_voltage: VO?\n  measure_current: IO?\n  set_over_voltage: P {}\n";
  const std::string told = complaint(supply);
  EXPECT_THAT(told, HasSubstr("x.yaml:6:16: error: `set_voltage` must hold {} where the value goes"));
  EXPECT_THAT(told, HasSubstr("`set_over_voltage` needs `get_over_voltage`, by which it is read back"));
  EXPECT_THAT(told, Not(HasSubstr("measure_power"))) << "it is optional";
}

TEST(Personalities, RangesMakeSense) {
  const std::string told =
      complaint(std::string(kMeter) +
                "channels: [{name: 1}, {name: 1}]\nselect: \"S {channel}\"\ncommands: {measure_voltage: \"V?\"}\n"
                "ranges: {voltage: {min: 5 V, max: 1 V}, curent: {max: 1 A}}\n");
  EXPECT_THAT(told, HasSubstr("the least, 5 V, is above the most, 1 V"));
  EXPECT_THAT(told, HasSubstr("has no key `curent`"));
  EXPECT_THAT(told, HasSubstr("there is a channel `1` already"));
}

TEST(Personalities, UnknownNamesAndBrokenFilesAreTold) {
  try {
    load_personality("fl-ps1231");
    FAIL() << "nothing was thrown";
  } catch (const FailureError& error) {
    EXPECT_THAT(error.failure().message, HasSubstr("did you mean \"fl-ps1230\"?"));
  }
  EXPECT_THROW(load_personality("/nowhere/x.yaml"), FailureError);
  EXPECT_THAT(complaint("a: [1"), HasSubstr("x.yaml:1"));
  EXPECT_THAT(complaint("- 1"), HasSubstr("x.yaml:1:1"));
}

TEST(Personalities, RangesOfAChannelReplaceThoseOfTheInstrument) {
  const Personality keysight = load_personality("keysight-e36312a");
  EXPECT_DOUBLE_EQ(keysight.range("voltage", 0).max->value, 6.18);
  EXPECT_DOUBLE_EQ(keysight.range("voltage", 1).max->value, 25.75);
  EXPECT_FALSE(keysight.range("frequency", 0).max);
}

TEST(Personalities, HaveASchemaOfTheSameTables) {
  const std::string schema = personality_schema();
  for (const char* word : {"\"supply\"", "set_over_voltage", "acknowledge", "hex16", "verified"})
    EXPECT_THAT(schema, HasSubstr(word));
}

TEST(Exchanges, WriteAndReadNumbersTheInstrumentsWay) {
  NumberFormat hex;
  hex.kind = NumberFormat::Kind::hex16;
  hex.scale = 0.01;
  EXPECT_EQ(hex.write(25.5), "09F6");
  EXPECT_EQ(hex.write(-20), "F830");
  EXPECT_DOUBLE_EQ(*hex.read("F830"), -20);
  EXPECT_DOUBLE_EQ(*hex.read("09f6"), 25.5);
  EXPECT_FALSE(hex.read("12345"));
  EXPECT_FALSE(hex.read("xy"));
  NumberFormat fixed;
  fixed.kind = NumberFormat::Kind::fixed;
  fixed.digits = 2;
  EXPECT_EQ(fixed.write(1.005), "1.00");
  EXPECT_EQ(fixed.write(-3), "-3.00");
}

TEST(Exchanges, ReadStatusWordsAndWords) {
  Exchange status;
  status.send = {"S?"};
  status.bits = {4, 5};
  EXPECT_EQ(status.flag_in("0x10", 0), true);
  EXPECT_EQ(status.flag_in("0x10", 1), false);
  EXPECT_EQ(status.flag_in("48", 1), true);
  EXPECT_FALSE(status.flag_in("0xZZ", 0));
  Exchange words;
  words.send = {"S?"};
  words.on = {"RUN"};
  words.off = {"STBY"};
  EXPECT_EQ(words.flag_in("RUN\r", 0), true);
  EXPECT_EQ(words.flag_in("STBY", 0), false);
  EXPECT_FALSE(words.flag_in("1", 0)) << "anything else is garbage";
  Exchange unit;
  unit.send = {"V?"};
  unit.answer = "V[12] (.*)V";
  EXPECT_DOUBLE_EQ(*unit.number_in("V1 12.50V"), 12.5);
  EXPECT_FALSE(unit.number_in("12.50V"));
}

}  // namespace
}  // namespace firstlight::scpi
