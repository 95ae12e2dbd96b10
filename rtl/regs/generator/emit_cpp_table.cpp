#include <fmt/format.h>

#include "rtl/regs/generator/emit.h"
#include "rtl/regs/generator/naming.h"

namespace regtool {
namespace {

std::string access_literal(Access access) {
  switch (access) {
    case Access::ReadWrite:
      return "Access::ReadWrite";
    case Access::ReadOnly:
      return "Access::ReadOnly";
    case Access::WriteOneClear:
      return "Access::WriteOneClear";
    case Access::WritePulse:
      return "Access::WritePulse";
    case Access::ReadWriteHardware:
      return "Access::ReadWriteHardware";
    case Access::Constant:
      return "Access::Constant";
  }
  return "";
}

std::string varies_literal(Varies varies) {
  switch (varies) {
    case Varies::No:
      return "Varies::No";
    case Varies::Analog:
      return "Varies::Analog";
    case Varies::Count:
      return "Varies::Count";
    case Varies::Free:
      return "Varies::Free";
  }
  return "";
}

std::string text(const std::string& value) { return fmt::format("\"{}\"", escaped(value)); }

std::string field_literal(const Field& field) {
  std::string values;
  for (const EnumValue& value : field.values)
    values += fmt::format("{}{{{}, {:#x}}}", values.empty() ? "" : ", ", text(value.name), value.value);
  return fmt::format("         FieldInfo{{{}, {}, {}, {}, {:#x}, {}, {}, {}, {{{}}}, {}, {}}},\n", text(field.name),
                     field.lsb, field.width, access_literal(field.access), field.reset, text(field.unit), field.scale,
                     field.is_signed, values, text(field.doc), varies_literal(field.varies));
}

std::string register_literal(const Register& reg) {
  std::string fields;
  for (const Field& field : reg.fields) fields += field_literal(field);
  return fmt::format("     RegisterInfo{{{}, {:#x}, {}, {}, {}, {}, {{\n{}     }}}},\n", text(reg.name), reg.offset,
                     reg.count, reg.stride, reg.is_array, text(reg.doc), fields);
}

std::string block_function(const Block& block, const Placement& placement) {
  std::string registers;
  for (const Register& reg : block.registers) registers += register_literal(reg);
  std::string memories;
  for (const Memory& memory : block.memories)
    memories +=
        fmt::format("     MemoryInfo{{{}, {:#x}, {:#x}, {}, {}, {}}},\n", text(memory.name), memory.offset, memory.size,
                    access_literal(memory.access), text(memory.doc), varies_literal(memory.varies));
  return fmt::format(
      "BlockInfo {0}_block() {{\n  return {{{1}, {2}, {3}, {4:#x}, {5:#x}, {{\n{6}    }}, {{\n{7}    }}}};\n}}\n\n",
      placement.name, text(placement.name), text(block.doc),
      block.domain == Domain::Core ? "Domain::Core" : "Domain::Reference", placement.base, block_window_bytes,
      registers, memories);
}

}  // namespace

std::string emit_cpp_table(const Design& design) {
  std::string functions;
  std::string calls;
  for (const Placement& placement : design.map.placements)
    if (const Block* block = design.find(placement.block)) {
      functions += block_function(*block, placement);
      calls += fmt::format("    blocks.push_back({}_block());\n", placement.name);
    }
  std::string windows;
  for (const Window& window : design.map.windows)
    windows += fmt::format("    windows.push_back({{{}, {:#x}, {:#x}, {}, {}}});\n", text(window.name), window.base,
                           window.size, access_literal(window.access), text(window.doc));
  std::string regions;
  for (const Region& region : design.map.regions)
    regions += fmt::format("    regions.push_back({{{}, {:#x}, {:#x}, {}}});\n", text(region.name), region.base,
                           region.size, text(region.doc));
  const std::string getter = fmt::format("const RegisterMap& {}_registers()", design.map.chip);
  std::string out =
      "// Generated from the register descriptions; edit those, not this.\n#include \"lab/core/register_map.h\"\n\n";
  out += fmt::format("namespace firstlight {{\n\n{};\n\nnamespace {{\n\n{}}}  // namespace\n\n", getter, functions);
  out += fmt::format("{} {{\n  static const RegisterMap map = [] {{\n    std::vector<BlockInfo> blocks;\n{}", getter,
                     calls);
  out += fmt::format("    std::vector<MemoryInfo> windows;\n{}", windows);
  out += fmt::format("    std::vector<RegionInfo> regions;\n{}", regions);
  out +=
      fmt::format("    return RegisterMap({}, std::move(blocks), std::move(windows), std::move(regions));\n  }}();\n",
                  text(design.map.chip));
  return out + "  return map;\n}\n\n}  // namespace firstlight\n";
}

}  // namespace regtool
