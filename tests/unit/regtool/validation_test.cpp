// Every mistake that a register description can hold is told, where it is, and all of them in one go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "rtl/regs/generator/design.h"

namespace regtool {
namespace {

using testing::HasSubstr;

const std::string good_map = "chip: toy\nblocks:\n  - {block: b, base: 0x1000}\n";

std::string head(const std::string& rest) { return "block: b\ndoc: A block.\ndomain: ref\nregisters:\n" + rest; }
std::string reg(const std::string& fields, const std::string& more = "") {
  return head("  - name: r\n    offset: 0x10\n    doc: d\n" + more + "    fields:\n" + fields);
}
std::string field(const std::string& inside) { return reg("      - {" + inside + "}\n"); }

std::string errors_of(const std::string& block, const std::string& map = good_map) {
  Diagnostics diagnostics;
  read_design({"map.yaml", map}, {{"b.yaml", block}}, diagnostics);
  return diagnostics.text();
}

struct Mistake {
  const char* name;
  std::string text;
  const char* error;  // a part of the message, with its place
};
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class OneMistake : public testing::TestWithParam<Mistake> {};

TEST_P(OneMistake, IsToldWithItsPlace) {
  const std::string errors = errors_of(GetParam().text);
  EXPECT_THAT(errors, HasSubstr(GetParam().error));
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << "one mistake, one error:\n" << errors;
}

const Mistake mistakes[] = {
    {"UnknownKey", field("name: f, bits: 0, acces: rw, access: rw, reset: 0, doc: d"),
     "b.yaml:9:28: error: unknown key `acces` in a field, did you mean `access`?"},
    {"UnknownVaries", field("name: f, bits: 0, access: ro, varies: often, doc: d"),
     "varies `often` is not one of analog, count, free"},
    {"UnknownAccess", field("name: f, bits: 0, access: w1x, reset: 0, doc: d"),
     "b.yaml:9:36: error: access `w1x` is not one of rw, ro, w1c, wp, rwh, const, did you mean `w1c`?"},
    {"DoubledKey", field("name: f, bits: 0, bits: 1, access: ro, doc: d"),
     "b.yaml:9:28: error: key `bits` appears twice"},
    {"MissingReset", field("name: f, bits: 0, access: rw, doc: d"), "b.yaml:9:9: error: field `f` lacks `reset`"},
    {"MissingDoc", field("name: f, bits: 0, access: rw, reset: 0"), "b.yaml:9:9: error: a field lacks `doc`"},
    {"MissingName", field("bits: 0, access: rw, reset: 0, doc: d"), "b.yaml:9:9: error: a field lacks `name`"},
    {"ResetTooWide", field("name: f, bits: \"3:0\", access: rw, reset: 16, doc: d"),
     "b.yaml:9:51: error: reset 0x10 of field `f` is wider than its 4 bits"},
    {"SignedResetTooHigh", field("name: f, bits: \"3:0\", access: rw, reset: 8, signed: true, doc: d"),
     "is wider than its 4 bits"},
    {"NegativeUnsignedReset", field("name: f, bits: \"3:0\", access: rw, reset: -1, doc: d"),
     "is wider than its 4 bits"},
    {"BitsReversed", field("name: f, bits: \"0:3\", access: ro, doc: d"),
     "b.yaml:9:25: error: bits 0:3 are not high:low"},
    {"BitsBeyond31", field("name: f, bits: 32, access: ro, doc: d"), "bits 32 are not high:low within 31:0"},
    {"BitsNoNumber", field("name: f, bits: low, access: ro, doc: d"),
     "`bits` must be `bit` or `\"high:low\"`, not `low`"},
    {"NumberNoNumber", field("name: f, bits: 0, access: rw, reset: zero, doc: d"), "`reset` must be a whole number"},
    {"NumberTooLong", field("name: f, bits: 0, access: rw, reset: 99999999999999999999, doc: d"),
     "`reset` must be a whole number"},
    {"UpperCaseName", field("name: F, bits: 0, access: ro, doc: d"), "b.yaml:9:16: error: name `F` must be lower case"},
    {"KeywordName", field("name: release, bits: 0, access: ro, doc: d"),
     "name `release` is a keyword of SystemVerilog"},
    {"OverlappingFields",
     reg("      - {name: f, bits: \"4:2\", access: ro, doc: d}\n      - {name: g, bits: \"9:4\", access: ro, doc: "
         "d}\n"),
     "b.yaml:10:9: error: field `g` (9:4) overlaps another field of register `r`"},
    {"DoubledField",
     reg("      - {name: f, bits: 0, access: ro, doc: d}\n      - {name: f, bits: 1, access: ro, doc: d}\n"),
     "b.yaml:10:9: error: field `f` is already defined on line 9"},
    {"ScaleWithoutUnit", field("name: f, bits: 0, access: ro, scale: 0.5, doc: d"),
     "field `f` has a `scale` but no `unit`"},
    {"ScaleNegative", field("name: f, bits: 0, access: ro, unit: V, scale: -1, doc: d"),
     "`scale` must be a positive number"},
    {"EnumTooWide", field("name: f, bits: 0, access: ro, enum: {a: 2}, doc: d"),
     "value of `a` does not fit the 1 bits of field `f`"},
    {"EnumDoubledValue", field("name: f, bits: \"1:0\", access: ro, enum: {a: 1, b: 1}, doc: d"),
     "two names for value 1 of field `f`"},
    {"EnumDoubledName", field("name: f, bits: \"1:0\", access: ro, enum: {a: 0, a: 1}, doc: d"),
     "value `a` is already defined"},
    {"EnumNoMap", field("name: f, bits: 0, access: ro, enum: [a, b], doc: d"),
     "`enum` of field `f` must map names to values"},
    {"EnumWithUnit", field("name: f, bits: 0, access: ro, enum: {a: 0}, unit: V, doc: d"),
     "can have neither unit nor sign"},
    {"FlagNoFlag", field("name: f, bits: 0, access: ro, signed: maybe, doc: d"),
     "`signed` must be `true` or `false`, not `maybe`"},
    {"NoFields", head("  - {name: r, offset: 0, doc: d, fields: []}\n"),
     "b.yaml:5:5: error: register `r` has no field"},
    {"FieldsNoList", head("  - {name: r, offset: 0, doc: d, fields: 3}\n"), "`fields` of a register must be a list"},
    {"StrideWithoutCount", reg("      - {name: f, bits: 0, access: ro, doc: d}\n", "    stride: 8\n"),
     "b.yaml:8:13: error: `stride` needs `count`"},
    {"CountZero", reg("      - {name: f, bits: 0, access: ro, doc: d}\n", "    count: 0\n"),
     "count 0 of register `r` is not within 1 to 1024"},
    {"StrideUnaligned", reg("      - {name: f, bits: 0, access: ro, doc: d}\n", "    count: 2\n    stride: 6\n"),
     "stride 6 of register `r` is not a multiple of 4"},
    {"OffsetUnaligned", head("  - {name: r, offset: 2, doc: d, fields: [{name: f, bits: 0, access: ro, doc: d}]}\n"),
     "offset 0x2 of register `r` is not 32-bit aligned"},
    {"OffsetNegative", head("  - {name: r, offset: -4, doc: d, fields: [{name: f, bits: 0, access: ro, doc: d}]}\n"),
     "`offset` must be between 0 and 0xffffffff, not -4"},
    {"OffsetBeyondWindow",
     head("  - {name: r, offset: 0x1000, doc: d, fields: [{name: f, bits: 0, access: ro, doc: d}]}\n"),
     "outside of the block's 0x1000 bytes"},
    {"OverlappingRegisters",
     head("  - {name: r, offset: 0, count: 3, doc: d, fields: [{name: f, bits: 0, access: ro, doc: d}]}\n"
          "  - {name: s, offset: 8, doc: d, fields: [{name: f, bits: 0, access: ro, doc: d}]}\n"),
     "b.yaml:6:5: error: register `s` at 0x8 overlaps register `r[2]`"},
    {"DoubledRegister",
     head("  - {name: r, offset: 0, doc: d, fields: [{name: f, bits: 0, access: ro, doc: d}]}\n"
          "  - {name: r, offset: 8, doc: d, fields: [{name: f, bits: 0, access: ro, doc: d}]}\n"),
     "register or memory `r` is already defined on line 5"},
    {"MemoryOddSize",
     field("name: f, bits: 0, access: ro, doc: d") +
         "memories:\n  - {name: m, offset: 0x100, size: 0x30, access: ro, doc: d}\n",
     "memory `m` must be a power of two in size and aligned to it"},
    {"MemoryOverRegister",
     field("name: f, bits: 0, access: ro, doc: d") +
         "memories:\n  - {name: m, offset: 0, size: 0x20, access: ro, doc: d}\n",
     "register `r` at 0x10 overlaps memory `m`"},
    {"MemoryAccess",
     field("name: f, bits: 0, access: ro, doc: d") +
         "memories:\n  - {name: m, offset: 0x100, size: 0x20, access: w1c, doc: d}\n",
     "access `w1c` is not one of ro, rw"},
    {"UnknownDomain", "block: b\ndoc: d\ndomain: fast\nregisters: []\n",
     "b.yaml:3:9: error: domain `fast` is neither `ref` nor `core`"},
    {"NotPlaced", "block: c\ndoc: d\ndomain: ref\nregisters: []\n",
     "map.yaml does not place block `c`, did you mean `b`?"},
    {"NoYaml", "block: [b\n", "b.yaml:2:1: error: "},
    {"NoMapping", "- 1\n- 2\n", "b.yaml:1:1: error: the block must be a mapping"},
};
INSTANTIATE_TEST_SUITE_P(Descriptions, OneMistake, testing::ValuesIn(mistakes),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(Validation, AGoodDescriptionHasNoErrors) {
  EXPECT_EQ(errors_of(field(
                "name: f, bits: \"15:4\", access: rw, reset: -5, signed: true, unit: degC, scale: 0.125, doc: d")),
            "");
}

TEST(Validation, ArraysMayInterleave) {
  EXPECT_EQ(
      errors_of(head(
          "  - {name: r, offset: 0, count: 4, stride: 8, doc: d, fields: [{name: f, bits: 0, access: ro, doc: d}]}\n"
          "  - {name: s, offset: 4, count: 4, stride: 8, doc: d, fields: [{name: f, bits: 0, access: ro, doc: d}]}\n")),
      "");
}

TEST(Validation, AllErrorsAreToldAtOnceInTheOrderOfLines) {
  const std::string errors =
      errors_of(reg("      - {name: f, bits: \"4:0\", access: xy, doc: d}\n      - {name: g, bits: 2, access: rw, "
                    "reset: 9, dok: d, doc: d}\n"));
  EXPECT_EQ(errors,
            "b.yaml:9:40: error: access `xy` is not one of rw, ro, w1c, wp, rwh, const\n"
            "b.yaml:10:9: error: field `g` (2:2) overlaps another field of register `r`\n"
            "b.yaml:10:47: error: reset 0x9 of field `g` is wider than its 1 bit\n"
            "b.yaml:10:50: error: unknown key `dok` in a field, did you mean `doc`?\n");
}

TEST(Validation, TheMapIsCheckedToo) {
  const std::string block = field("name: f, bits: 0, access: ro, doc: d");
  EXPECT_THAT(errors_of(block, "chip: toy\nblocks:\n  - {block: b, base: 0x1800}\n"),
              HasSubstr("map.yaml:3:5: error: base 0x1800 of `b` is not 4 KiB aligned"));
  EXPECT_THAT(errors_of(block, "chip: b\nblocks:\n  - {block: b, base: 0}\n"),
              HasSubstr("block `b` is named like the chip"));
  EXPECT_THAT(errors_of(block, "chip: toy\nblocks:\n  - {block: b, base: 0}\n  - {block: c, base: 0}\n"),
              HasSubstr("block `c` at 0x0 overlaps block `b`"));
  EXPECT_THAT(errors_of(block, "chip: toy\nblocks:\n  - {block: b, base: 0x1000000}\n"),
              HasSubstr("leaves the 24-bit host address space"));
  EXPECT_THAT(errors_of(block, good_map + "windows:\n  - {name: w, base: 0x8000, size: 0x10000, access: rw, doc: d}\n"),
              HasSubstr("window `w` must be a power of two in size, 4 KiB at least, and aligned to it"));
}

TEST(Validation, RegionsOfTheDataBusAreChecked) {
  const std::string block = field("name: f, bits: 0, access: ro, doc: d");
  const auto with = [&](const std::string& regions) { return errors_of(block, good_map + "regions:\n" + regions); };
  EXPECT_EQ(with("  - {name: hbm, base: 0x100000000, size: 0x100000000, doc: d}\n"), "");
  EXPECT_THAT(with("  - {name: hbm, base: 0x8000, size: 0x10000, doc: d}\n"),
              HasSubstr("region `hbm` must be a power of two in size, 4 KiB at least, and aligned to it"));
  EXPECT_THAT(with("  - {name: a, base: 0, size: 0x2000, doc: d}\n  - {name: c, base: 0x1000, size: 0x1000, doc: d}\n"),
              HasSubstr("overlaps region `a`"));
  EXPECT_THAT(with("  - {name: a, base: 0x10000000000, size: 0x1000, doc: d}\n"), HasSubstr("`base` must be"));
  EXPECT_THAT(with("  - {name: a, base: 0, doc: d}\n"), HasSubstr("size"));
}

TEST(Validation, ABlockDescribedTwiceIsAnError) {
  Diagnostics diagnostics;
  const std::string block = field("name: f, bits: 0, access: ro, doc: d");
  read_design({"map.yaml", good_map}, {{"b.yaml", block}, {"c.yaml", block}}, diagnostics);
  EXPECT_THAT(diagnostics.text(), HasSubstr("c.yaml:1:1: error: block `b` is already described by b.yaml"));
}

}  // namespace
}  // namespace regtool
