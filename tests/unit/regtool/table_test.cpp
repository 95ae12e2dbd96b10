// Names to addresses: the map's own rules, and the C header that must say the same as the C++ table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/register_map.h"
#include "rtl/regs/tern_registers.h"

namespace firstlight {
namespace {

using testing::HasSubstr;

RegisterMap toy() {
  const FieldInfo enable{"enable", 0, 1, Access::ReadWrite, 1, "", 1.0, false, {}, "d"};
  const FieldInfo level{"level", 4, 12, Access::ReadWrite, 0xffe, "degC", 0.125, true, {}, "d"};
  const FieldInfo mode{"mode", 16, 2, Access::ReadOnly, 0, "", 1.0, false, {{"idle", 0}, {"run", 2}}, "d"};
  std::vector<BlockInfo> blocks{
      {"dma",
       "d",
       Domain::Core,
       0x11000,
       0x1000,
       {{"ctrl", 0x10, 1, 4, false, "d", {enable, level, mode}}, {"lane_errors", 0x100, 4, 8, true, "d", {enable}}},
       {{"trace", 0x800, 0x400, Access::ReadOnly, "d"}}}};
  return RegisterMap("toy", std::move(blocks), {{"sram_data", 0x100000, 0x10000, Access::ReadWrite, "d"}});
}

TEST(RegisterMap, FindsRegistersFieldsElementsMemoriesAndWindows) {
  const RegisterMap map = toy();
  EXPECT_EQ(map.find("dma.ctrl").found->address, 0x11010U);
  EXPECT_EQ(map.find("dma.ctrl").found->field, nullptr);
  EXPECT_EQ(map.find("dma.ctrl.level").found->field->lsb, 4U);
  EXPECT_EQ(map.find("dma.lane_errors[3].enable").found->address, 0x11118U);
  EXPECT_EQ(map.find("dma.trace[0x10]").found->address, 0x11810U);
  EXPECT_EQ(map.find("dma.trace").found->address, 0x11800U);
  EXPECT_EQ(map.find("sram_data[64]").found->address, 0x100040U);
  EXPECT_EQ(map.find("sram_data").found->block, nullptr);
}

TEST(RegisterMap, SaysWhatIsWrongWithAName) {
  const RegisterMap map = toy();
  const std::pair<const char*, const char*> cases[] = {
      {"dna.ctrl", "block `dna` does not exist; did you mean `dma`?"},
      {"dma.crtl", "in block `dma`, register `crtl` does not exist; did you mean `ctrl`?"},
      {"dma.ctrl.enabel", "in register `dma.ctrl`, field `enabel` does not exist; did you mean `enable`?"},
      {"dma.lane_errors", "is an array: say `lane_errors[0]` to `lane_errors[3]`"},
      {"dma.lane_errors[4]", "index 4 is outside of `lane_errors[0..3]`"},
      {"dma.ctrl[0]", "register `ctrl` is no array"},
      {"dma.trace[0x400]", "is not a word of memory `trace`"},
      {"dma.trace[2]", "is not a word of memory `trace`"},
      {"dma", "`dma` is a block; name one of its registers"},
      {"dma.ctrl.enable.x", "does not exist"},
      {"dma.ctrl.enable[0]", "does not exist"},
      {"", "is no register name"},
      {"dma..ctrl", "is no register name"},
      {"dma.lane_errors[x]", "is no register name"},
      {"dma.lane_errors[1", "is no register name"},
      {"dma.lane_errors[99999999999]", "is no register name"},
      {"dma[1].ctrl", "block `dma` is no array"}};
  for (const auto& [name, error] : cases) {
    const RegisterLookup lookup = map.find(name);
    EXPECT_FALSE(lookup) << name;
    EXPECT_THAT(lookup.error, HasSubstr(error)) << name;
  }
}

TEST(RegisterMap, NamesAddresses) {
  const RegisterMap map = toy();
  EXPECT_EQ(map.name_of(0x11010), "dma.ctrl");
  EXPECT_EQ(map.name_of(0x11012), "dma.ctrl");
  EXPECT_EQ(map.name_of(0x11108), "dma.lane_errors[1]");
  EXPECT_EQ(map.name_of(0x1110c), "0x01110c");
  EXPECT_EQ(map.name_of(0x11810), "dma.trace[0x10]");
  EXPECT_EQ(map.name_of(0x100004), "sram_data[0x4]");
}

TEST(FieldInfo, ExtractsAndInserts) {
  const RegisterMap map = toy();
  const FieldInfo level = *map.find("dma.ctrl.level").found->field;
  EXPECT_EQ(level.extract(0xabcd1235), 0x123U);
  EXPECT_EQ(level.insert(0xabcd1235, 0xfff), 0xabcdfff5U);
  EXPECT_EQ(level.insert(0xabcd1235, 0xf000), 0xabcd0005U) << "a raw value too wide is masked";
}

TEST(FieldInfo, KnowsSignAndRange) {
  const RegisterMap map = toy();
  const FieldInfo level = *map.find("dma.ctrl.level").found->field;
  EXPECT_EQ(level.number(0xffe), -2);
  EXPECT_EQ(level.number(0x7ff), 2047);
  EXPECT_EQ(level.raw(-2048), 0x800U);
  EXPECT_EQ(level.raw(-2049), std::nullopt);
  EXPECT_EQ(level.raw(2048), std::nullopt);
  const FieldInfo mode = *map.find("dma.ctrl.mode").found->field;
  EXPECT_EQ(mode.value_name(2), "run");
  EXPECT_EQ(mode.value_name(1), "");
  EXPECT_EQ(mode.value_of("run"), 2U);
  EXPECT_EQ(mode.value_of("walk"), std::nullopt);
  EXPECT_EQ(mode.raw(4), std::nullopt);
  EXPECT_EQ(map.find("dma.ctrl").found->reg->reset(), 0xffe1U);
}

TEST(TernRegisters, EveryNameFindsItsAddressAndBack) {
  const RegisterMap& map = tern_registers();
  const std::vector<std::string> names = map.names();
  EXPECT_GT(names.size(), 100U);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  for (const std::string& name : names) {
    const RegisterLookup lookup = map.find(name);
    ASSERT_TRUE(lookup) << name << ": " << lookup.error;
    const std::string field = lookup.found->field ? "." + lookup.found->field->name : "";
    EXPECT_EQ(map.name_of(lookup.found->address) + field, name);
  }
}

TEST(TernRegisters, SaysWhatVaries) {
  const RegisterMap& map = tern_registers();
  EXPECT_EQ(map.find("thermal.hottest.temperature").found->field->varies, Varies::Analog);
  EXPECT_EQ(map.find("chip.ticks_lo.value").found->field->varies, Varies::Count);
  EXPECT_EQ(map.find("thermal.hottest.valid").found->field->varies, Varies::No);
  EXPECT_EQ(map.find("link.trace").found->memory->varies, Varies::Free);
}

TEST(TernRegisters, TheCHeaderSaysTheSame) {
  std::ifstream file(TERN_C_HEADER);
  ASSERT_TRUE(file);
  const std::string header{std::istreambuf_iterator<char>(file), {}};
  const auto upper = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
  };
  // Instances share the offsets of their block.
  const std::map<std::string, std::string> blocks{{"dma0", "dma"}, {"dma1", "dma"}};
  for (const BlockInfo& block : tern_registers().blocks())
    for (const RegisterInfo& reg : block.registers)
      for (const FieldInfo& field : reg.fields) {
        const auto instance = blocks.find(block.name);
        const std::string prefix = instance == blocks.end() ? block.name : instance->second;
        const std::string name = "TERN_" + upper(prefix + "_" + reg.name + "_" + field.name);
        char line[200];
        std::snprintf(line, sizeof line, "#define %s_MASK 0x%08xu\n", name.c_str(), field.register_mask());
        EXPECT_THAT(header, HasSubstr(line));
      }
}

}  // namespace
}  // namespace firstlight
