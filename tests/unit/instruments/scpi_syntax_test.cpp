#include "tb/instruments/scpi_syntax.h"

#include <gtest/gtest.h>

namespace tb::instruments::scpi {
namespace {

using firstlight::Dimension;

int code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  return 0;
}

TEST(Pattern, ShortAndLongFormsAndOptionalNodes) {
  const Pattern pattern("[SOURce:]VOLTage[:LEVel]:PROTection");
  for (const char* good : {"VOLT:PROT", "VOLTAGE:PROTECTION", "SOUR:VOLT:PROT", "SOURCE:VOLT:LEVEL:PROT",
                           "VOLT1:LEV:PROT", "SOUR1:VOLT:PROT"})
    EXPECT_TRUE(pattern.matches(good)) << good;
  for (const char* bad :
       {"VOLT", "VOLTA:PROT", "VOL:PROT", "VOLT:PROT:LEV", "VOLT:PROT?", "PROT", "VOLT2:PROT", "", "VOLT::PROT"})
    EXPECT_FALSE(pattern.matches(bad)) << bad;
  EXPECT_TRUE(Pattern("*IDN?").matches("*IDN?"));
  EXPECT_FALSE(Pattern("*IDN?").matches("*IDN"));
  EXPECT_TRUE(Pattern("SYSTem:ERRor[:NEXT]?").matches("SYST:ERR?"));
}

TEST(Units, SplitOutsideOfStringsAndLists) {
  EXPECT_EQ(split_message("VOLT 1;CURR 2 ; OUTP ON"), (std::vector<std::string>{"VOLT 1", "CURR 2", "OUTP ON"}));
  const Unit unit = parse_unit(" meas:volt? (@1,3:5), \"a;b,c\" ");
  EXPECT_EQ(unit.header, "MEAS:VOLT?");
  EXPECT_EQ(unit.parameters, (std::vector<std::string>{"(@1,3:5)", "\"a;b,c\""}));
  EXPECT_EQ(code_of([] { parse_unit("VOLT 1,,2"); }), -102);
  EXPECT_EQ(code_of([] { parse_unit("VO?LT 1"); }), -102);
  EXPECT_EQ(code_of([] { parse_unit(""); }), -102);
  EXPECT_EQ(code_of([] { parse_unit("VO\x80LT"); }), -101);
  EXPECT_EQ(code_of([] { parse_unit("VO#T 1"); }), -101);
  EXPECT_EQ(code_of([] { split_message("DISP \"open"); }), -151);
}

TEST(Numbers, SuffixesAreThoseOfScpi) {
  EXPECT_DOUBLE_EQ(parse_number("12", Dimension::voltage), 12);
  EXPECT_DOUBLE_EQ(parse_number("850 mV", Dimension::voltage), 0.85);
  EXPECT_DOUBLE_EQ(parse_number("850MV", Dimension::voltage), 0.85);
  EXPECT_DOUBLE_EQ(parse_number("100MHZ", Dimension::frequency), 100e6);
  EXPECT_DOUBLE_EQ(parse_number("+1.5e-3", Dimension::current), 1.5e-3);
  EXPECT_EQ(code_of([] { parse_number("12 A", Dimension::voltage); }), -131);
  EXPECT_EQ(code_of([] { parse_number("12 V", Dimension::none); }), -138);
  EXPECT_EQ(code_of([] { parse_number("abc", Dimension::voltage); }), -104);
  EXPECT_EQ(code_of([] { parse_number("inf", Dimension::voltage); }), -104);
}

TEST(Numbers, Booleans) {
  EXPECT_TRUE(parse_boolean("on"));
  EXPECT_FALSE(parse_boolean("OFF"));
  EXPECT_TRUE(parse_boolean("1"));
  EXPECT_FALSE(parse_boolean("0"));
  EXPECT_EQ(code_of([] { parse_boolean("maybe"); }), -104);
}

TEST(Channels, ListsAndRanges) {
  EXPECT_EQ(parse_channels("(@1,3:5)"), (std::vector<int>{1, 3, 4, 5}));
  EXPECT_EQ(parse_channels("(@ 5:3)"), (std::vector<int>{5, 4, 3}));
  for (const char* bad : {"(1)", "(@)", "(@1", "(@a)", "(@1:)", "(@-1)", "(@1 2)"})
    EXPECT_EQ(code_of([bad] { parse_channels(bad); }), -171) << bad;
}

}  // namespace
}  // namespace tb::instruments::scpi
