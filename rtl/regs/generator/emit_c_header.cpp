#include <fmt/format.h>

#include "rtl/regs/generator/emit.h"
#include "rtl/regs/generator/naming.h"

namespace regtool {
namespace {

std::string fields(const std::string& prefix, const Register& reg) {
  std::string out;
  for (const Field& field : reg.fields) {
    const std::string name = fmt::format("{}_{}", prefix, upper(field.name));
    out +=
        fmt::format("#define {}_MASK 0x{:08x}u\n#define {}_SHIFT {}u\n", name, field.register_mask(), name, field.lsb);
    if (is_stored(field.access) || field.access == Access::Constant)
      out += fmt::format("#define {}_RESET 0x{:x}u\n", name, field.reset);
    for (const EnumValue& value : field.values)
      out += fmt::format("#define {}_{} 0x{:x}u\n", name, upper(value.name), value.value);
  }
  return out;
}

std::string registers(const std::string& prefix, const Block& block) {
  std::string out;
  for (const Register& reg : block.registers) {
    const std::string name = fmt::format("{}_{}", prefix, upper(reg.name));
    out += fmt::format("\n/* {} */\n", one_line(reg.doc));
    if (reg.is_array)
      out += fmt::format("#define {0}_OFFSET(i) (0x{1:03x}u + {2}u * (i))\n#define {0}_COUNT {3}u\n", name, reg.offset,
                         reg.stride, reg.count);
    else
      out += fmt::format("#define {}_OFFSET 0x{:03x}u\n", name, reg.offset);
    out += fields(name, reg);
  }
  for (const Memory& memory : block.memories)
    out +=
        fmt::format("\n/* {} */\n#define {}_{}_OFFSET 0x{:03x}u\n#define {}_{}_BYTES 0x{:x}u\n", one_line(memory.doc),
                    prefix, upper(memory.name), memory.offset, prefix, upper(memory.name), memory.size);
  return out;
}

}  // namespace

std::string emit_c_header(const Design& design) {
  const std::string chip = upper(design.map.chip);
  std::string out = fmt::format(
      "/* Generated from the register descriptions; edit those, not this. Offsets count from the block's base. */\n"
      "#ifndef {0}_REGS_H\n#define {0}_REGS_H\n\n",
      chip);
  for (const Placement& placement : design.map.placements)
    out += fmt::format("#define {}_{}_BASE 0x{:06x}u\n", chip, upper(placement.name), placement.base);
  for (const Window& window : design.map.windows)
    out += fmt::format("#define {0}_{1}_BASE 0x{2:06x}u\n#define {0}_{1}_BYTES 0x{3:x}u\n", chip, upper(window.name),
                       window.base, window.size);
  for (const Region& region : design.map.regions)
    out += fmt::format("\n/* {2} */\n#define {0}_AXI_{1}_BASE 0x{3:010x}ull\n#define {0}_AXI_{1}_BYTES 0x{4:x}ull\n",
                       chip, upper(region.name), one_line(region.doc), region.base, region.size);
  for (const Block& block : design.blocks) {
    out += fmt::format("\n/* ---- {}: {} ---- */\n", block.name, one_line(block.doc));
    out += registers(fmt::format("{}_{}", chip, upper(block.name)), block);
  }
  return out + "\n#endif\n";
}

}  // namespace regtool
