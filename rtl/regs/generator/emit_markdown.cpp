#include <fmt/format.h>

#include "rtl/regs/generator/emit.h"
#include "rtl/regs/generator/naming.h"

namespace regtool {
namespace {

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : one_line(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string field_row(const Field& field) {
  std::string doc = cell(field.doc);
  for (const EnumValue& value : field.values) doc += fmt::format(" `{}` = {}.", value.name, value.value);
  std::string unit = field.unit;
  if (!unit.empty() && field.scale != 1.0) unit = fmt::format("{} {}", field.scale, unit);
  if (field.is_signed) unit += unit.empty() ? "signed" : ", signed";
  const bool resets = field.access != Access::ReadOnly && field.access != Access::WritePulse;
  return fmt::format("| {} | `{}` | {} | {} | {} | {} |\n", bit_range(field), field.name, access_name(field.access),
                     resets ? fmt::format("{:#x}", field.reset) : "-", unit.empty() ? "-" : cell(unit), doc);
}

std::string register_section(const Placement& placement, const Register& reg) {
  const std::uint32_t base = placement.base;
  std::string where = fmt::format("`0x{:06x}`", base + reg.offset);
  std::string index;
  if (reg.is_array) {
    index = fmt::format("[0..{}]", reg.count - 1);
    where +=
        fmt::format(" to `0x{:06x}`, {} bytes apart", base + reg.offset + (reg.count - 1) * reg.stride, reg.stride);
  }
  std::string out = fmt::format(
      "### `{}.{}{}`\n\n{}. {}{}\n\n| bits | field | access | reset | unit | what |\n| --- | --- | --- | --- | --- | "
      "--- |\n",
      placement.name, reg.name, index, where, reg.doc,
      reg.read_pulse ? " Hardware sees each read of this register." : "");
  for (const Field& field : reg.fields) out += field_row(field);
  return out + "\n";
}

std::string block_section(const Block& block, const Placement& placement) {
  const std::uint32_t base = placement.base;
  std::string out = fmt::format("## {}\n\n{} Base `0x{:06x}`, clock domain `{}`.\n\n", placement.name, block.doc, base,
                                domain_name(block.domain));
  for (const Register& reg : block.registers) out += register_section(placement, reg);
  for (const Memory& memory : block.memories)
    out += fmt::format("### `{}.{}` (memory)\n\n`0x{:06x}`, {} bytes, {}. {}\n\n", placement.name, memory.name,
                       base + memory.offset, memory.size, access_name(memory.access), memory.doc);
  return out;
}

}  // namespace

std::string emit_markdown(const Design& design) {
  std::string out = fmt::format(
      "# Registers of {}\n\nGenerated from `rtl/regs/*.yaml`. Addresses are bytes on the host port. "
      "`rtl/regs/README.md` says what each "
      "access means.\n\n| base | block | what |\n| --- | --- | --- |\n",
      camel(design.map.chip));
  for (const Placement& placement : design.map.placements)
    if (const Block* block = design.find(placement.block))
      out += fmt::format("| `0x{:06x}` | [{}](#{}) | {} |\n", placement.base, placement.name, placement.name,
                         cell(block->doc));
  for (const Window& window : design.map.windows)
    out += fmt::format("| `0x{:06x}` | {} | {} bytes, {}. {} |\n", window.base, window.name, window.size,
                       access_name(window.access), cell(window.doc));
  if (!design.map.regions.empty())
    out +=
        "\nThe data bus (AXI4, byte addresses of 40 bits) has a map of its own.\n\n| base | region | what |\n| --- | "
        "--- | --- |\n";
  for (const Region& region : design.map.regions)
    out += fmt::format("| `0x{:010x}` | {} | {:#x} bytes. {} |\n", region.base, region.name, region.size,
                       cell(region.doc));
  out += "\n";
  for (const Placement& placement : design.map.placements)
    if (const Block* block = design.find(placement.block)) out += block_section(*block, placement);
  return out;
}

}  // namespace regtool
