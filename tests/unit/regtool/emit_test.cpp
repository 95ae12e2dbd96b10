// What is generated, where a mistake would not show at compile time of the chip: constants in C, structs, the order of
// members.
#include "rtl/regs/generator/emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "rtl/regs/generator/design.h"

namespace regtool {
namespace {

using testing::HasSubstr;
using testing::Not;

Design design() {
  Diagnostics diagnostics;
  Design made = read_design({"map.yaml",
                             "chip: toy\nblocks:\n  - {block: late, base: 0x5000}\n  - {block: b, base: 0x1000}\n"
                             "windows:\n  - {name: ram, base: 0x20000, size: 0x10000, access: rw, doc: Words.}\n"
                             "regions:\n  - {name: far, base: 0x300000000, size: 0x10000, doc: Far away.}\n"},
                            {{"b.yaml", R"(
block: b
doc: "A block with \"quotes\" and a | bar."
domain: core
registers:
  - name: ctrl
    offset: 0x10
    doc: Control.
    fields:
      - {name: enable, bits: 0, access: rw, reset: 1, doc: Runs.}
      - {name: mode, bits: "5:4", access: rw, reset: 2, enum: {idle: 0, run: 2}, doc: Mode.}
      - {name: level, bits: "31:20", access: rwh, reset: -2, signed: true, unit: degC, scale: 0.125, doc: Level.}
  - name: lane
    offset: 0x100
    count: 2
    stride: 8
    doc: Lanes.
    fields:
      - {name: seen, bits: 3, access: w1c, doc: Seen.}
      - {name: go, bits: "10:8", access: wp, doc: Go.}
memories:
  - {name: trace, offset: 0x800, size: 0x400, access: ro, doc: Trace.}
)"}},
                            diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return made;
}

TEST(Emit, RegionsOfTheDataBusAppearEverywhere) {
  const std::string package = emit_sv_regions(design());
  EXPECT_THAT(package, HasSubstr("package toy_axi_map_pkg;"));
  EXPECT_THAT(package, HasSubstr("parameter logic [39:0] AxiFarBase = 40'h0300000000;"));
  EXPECT_THAT(package, HasSubstr("parameter logic [39:0] AxiFarBytes = 40'h10000;"));
  EXPECT_THAT(emit_c_header(design()), HasSubstr("#define TOY_AXI_FAR_BASE 0x0300000000ull\n"));
  EXPECT_THAT(emit_cpp_table(design()),
              HasSubstr("regions.push_back({\"far\", 0x300000000, 0x10000, \"Far away.\"});"));
  EXPECT_THAT(emit_markdown(design()), HasSubstr("| `0x0300000000` | far |"));
}

TEST(Emit, TheCHeaderHasOffsetsMasksShiftsResetsAndEnumerations) {
  const std::string header = emit_c_header(design());
  for (const char* line :
       {"#define TOY_B_BASE 0x001000u\n", "#define TOY_LATE_BASE 0x005000u\n", "#define TOY_RAM_BYTES 0x10000u\n",
        "#define TOY_B_CTRL_OFFSET 0x010u\n", "#define TOY_B_CTRL_MODE_MASK 0x00000030u\n",
        "#define TOY_B_CTRL_MODE_SHIFT 4u\n", "#define TOY_B_CTRL_MODE_RUN 0x2u\n",
        "#define TOY_B_CTRL_LEVEL_RESET 0xffeu\n", "#define TOY_B_LANE_OFFSET(i) (0x100u + 8u * (i))\n",
        "#define TOY_B_LANE_COUNT 2u\n", "#define TOY_B_TRACE_BYTES 0x400u\n"})
    EXPECT_THAT(header, HasSubstr(line));
}

TEST(Emit, TheResetConstantHasTheMembersInOrder) {
  const std::string package = emit_sv_package(*design().find("b"));
  EXPECT_THAT(package, HasSubstr("BReg2HwReset = {\n    1'h1, 2'h2, 12'hffe,\n    {2{1'h0, 4'h0}}\n  };"));
  EXPECT_THAT(package, HasSubstr("struct packed { logic [2:0] value; logic pulse; } go;"));
  EXPECT_THAT(package, HasSubstr("struct packed { logic load; logic [11:0] value; } level;"));
  EXPECT_THAT(package, HasSubstr("b_reg2hw_lane_t [1:0] lane;"));
  EXPECT_THAT(package, HasSubstr("CtrlModeRun = 2'h2"));
}

TEST(Emit, ABlockThatOnlyReadsHasNoPortsToNowhere) {
  Diagnostics diagnostics;
  const Design made =
      read_design({"map.yaml", "chip: toy\nblocks:\n  - {block: b, base: 0}\n"},
                  {{"b.yaml",
                    "block: b\ndoc: d\ndomain: ref\nregisters:\n  - {name: r, offset: 0, doc: d, fields: [{name: "
                    "f, bits: 0, access: const, reset: 1, doc: d}]}\n"}},
                  diagnostics);
  ASSERT_EQ(diagnostics.text(), "");
  const std::string block = emit_sv_block(*made.find("b"));
  EXPECT_THAT(block, Not(HasSubstr("reg2hw")));
  EXPECT_THAT(block, Not(HasSubstr("hw2reg")));
}

TEST(Emit, TheDecoderKnowsBlocksWithoutDescriptionToo) {
  const std::string map = emit_sv_map(design());
  EXPECT_THAT(map, HasSubstr("if (page == LateBase[23:12]) return TargetLate;"));
  EXPECT_THAT(map, HasSubstr("if (page[11:4] == RamBase[23:16]) return TargetRam;"));
}

TEST(Emit, InstancesOfABlockHaveNamesAndBasesOfTheirOwn) {
  Diagnostics diagnostics;
  const Design made = read_design(
      {"map.yaml",
       "chip: toy\nblocks:\n  - {block: b, name: b0, base: 0x1000}\n  - {block: b, name: b1, base: 0x3000}\n"},
      {{"b.yaml",
        "block: b\ndoc: d\ndomain: ref\nregisters:\n  - {name: r, offset: 4, doc: d, fields: [{name: "
        "f, bits: 0, access: const, reset: 1, doc: d}]}\n"}},
      diagnostics);
  ASSERT_EQ(diagnostics.text(), "");
  const std::string map = emit_sv_map(made);
  EXPECT_THAT(map, HasSubstr("if (page == B1Base[23:12]) return TargetB1;"));
  EXPECT_THAT(emit_c_header(made), HasSubstr("#define TOY_B1_BASE 0x003000u\n"));
  EXPECT_THAT(emit_c_header(made), HasSubstr("#define TOY_B_R_OFFSET 0x004u\n"));
  EXPECT_THAT(emit_cpp_table(made), HasSubstr("return {\"b1\", \"d\", Domain::Reference, 0x3000,"));
  EXPECT_THAT(emit_markdown(made), HasSubstr("### `b1.r`\n\n`0x003004`"));
}

TEST(Emit, MarkdownAndTableEscapeWhatTheirFormatsMind) {
  EXPECT_THAT(emit_markdown(design()), HasSubstr("\\| bar."));
  EXPECT_THAT(emit_cpp_table(design()), HasSubstr("\"A block with \\\"quotes\\\" and a | bar.\""));
}

}  // namespace
}  // namespace regtool
