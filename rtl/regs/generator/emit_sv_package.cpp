#include <fmt/format.h>

#include "rtl/regs/generator/emit.h"
#include "rtl/regs/generator/naming.h"

namespace regtool {
namespace {

constexpr const char* waiver =
    "  // Constants for whoever needs them; no one needs all.\n  /* verilator lint_off UNUSEDPARAM */\n\n";

std::string logic_of(unsigned width) { return width == 1 ? "logic" : fmt::format("logic [{}:0]", width - 1); }

std::string to_hardware_member(const Field& field) {
  const std::string type = logic_of(field.width);
  if (field.access == Access::WritePulse)
    return fmt::format("    struct packed {{ {} value; logic pulse; }} {};\n", type, field.name);
  return fmt::format("    {} {};\n", type, field.name);
}

std::string from_hardware_member(const Field& field) {
  const std::string type = logic_of(field.width);
  if (field.access == Access::ReadWriteHardware)
    return fmt::format("    struct packed {{ logic load; {} value; }} {};\n", type, field.name);
  return fmt::format("    {} {};\n", type, field.name);
}

std::string to_hardware_struct(const Block& block, const Register& reg) {
  std::string out = "  typedef struct packed {\n";
  for (const Field& field : reg.fields)
    if (is_stored(field.access)) out += to_hardware_member(field);
  if (reg.read_pulse) out += "    logic read_pulse;\n";
  return out + fmt::format("  }} {}_reg2hw_{}_t;\n", block.name, reg.name);
}

std::string from_hardware_struct(const Block& block, const Register& reg) {
  std::string out = "  typedef struct packed {\n";
  for (const Field& field : reg.fields)
    if (is_hardware_driven(field.access)) out += from_hardware_member(field);
  return out + fmt::format("  }} {}_hw2reg_{}_t;\n", block.name, reg.name);
}

std::string array_of(const Register& reg) { return reg.is_array ? fmt::format(" [{}:0]", reg.count - 1) : ""; }

/// The struct's reset as one concatenation, in the order of its members.
std::string reset_of(const Register& reg) {
  std::string parts;
  const auto add = [&parts](const std::string& part) { parts += (parts.empty() ? "" : ", ") + part; };
  for (const Field& field : reg.fields) {
    if (!is_stored(field.access)) continue;
    if (field.access == Access::WritePulse)
      add(fmt::format("{}'h0", field.width + 1));
    else
      add(fmt::format("{}'h{:x}", field.width, field.reset));
  }
  if (reg.read_pulse) add("1'h0");
  return reg.count > 1 ? fmt::format("{{{}{{{}}}}}", reg.count, parts) : parts;
}

std::string enumerations(const Block& block) {
  std::string out;
  for (const Register& reg : block.registers)
    for (const Field& field : reg.fields) {
      if (field.values.empty()) continue;
      out += fmt::format("  typedef enum {} {{\n", logic_of(field.width));
      for (std::size_t i = 0; i < field.values.size(); ++i)
        out += fmt::format("    {}{}{} = {}'h{:x}{}\n", camel(reg.name), camel(field.name), camel(field.values[i].name),
                           field.width, field.values[i].value, i + 1 < field.values.size() ? "," : "");
      out += fmt::format("  }} {}_{}_e;\n\n", reg.name, field.name);
    }
  return out;
}

std::string offsets(const Block& block) {
  std::string out;
  for (const Register& reg : block.registers) {
    out += fmt::format("  parameter logic [11:0] {}Offset = 12'h{:03x};\n", camel(reg.name), reg.offset);
    if (reg.is_array) {
      out += fmt::format("  parameter int unsigned {}Count = {};\n", camel(reg.name), reg.count);
      out += fmt::format("  parameter int unsigned {}Stride = {};\n", camel(reg.name), reg.stride);
    }
  }
  for (const Memory& memory : block.memories) {
    out += fmt::format("  parameter logic [11:0] {}Offset = 12'h{:03x};\n", camel(memory.name), memory.offset);
    out += fmt::format("  parameter int unsigned {}Bytes = {};\n", camel(memory.name), memory.size);
  }
  return out + "\n";
}

std::string constants(const Block& block) {
  std::string out;
  for (const Register& reg : block.registers)
    for (const Field& field : reg.fields)
      if (field.access == Access::Constant)
        out += fmt::format("  parameter {} {}{} = {}'h{:x};\n", logic_of(field.width), camel(reg.name),
                           camel(field.name), field.width, field.reset);
  return out.empty() ? out : out + "\n";
}

std::string to_hardware(const Block& block) {
  std::string types;
  std::string members;
  std::string reset;
  for (const Register& reg : block.registers) {
    if (!reaches_hardware(reg)) continue;
    types += to_hardware_struct(block, reg);
    members += fmt::format("    {}_reg2hw_{}_t{} {};\n", block.name, reg.name, array_of(reg), reg.name);
    reset += fmt::format("{}    {}", reset.empty() ? "" : ",\n", reset_of(reg));
  }
  if (members.empty()) return "";
  return fmt::format(
      "{}\n  typedef struct packed {{\n{}  }} {}_reg2hw_t;\n\n  parameter {}_reg2hw_t {}Reg2HwReset = {{\n{}\n  "
      "}};\n\n",
      types, members, block.name, block.name, camel(block.name), reset);
}

std::string from_hardware(const Block& block) {
  std::string types;
  std::string members;
  for (const Register& reg : block.registers) {
    if (!comes_from_hardware(reg)) continue;
    types += from_hardware_struct(block, reg);
    members += fmt::format("    {}_hw2reg_{}_t{} {};\n", block.name, reg.name, array_of(reg), reg.name);
  }
  if (members.empty()) return "";
  return fmt::format("{}\n  typedef struct packed {{\n{}  }} {}_hw2reg_t;\n\n", types, members, block.name);
}

}  // namespace

std::string emit_sv_package(const Block& block) {
  std::string out =
      fmt::format("// Generated from the register description of `{0}`; edit that, not this.\n", block.name);
  out += fmt::format("package {0}_regs_pkg;\n\n{1}", block.name, waiver);
  out += offsets(block) + constants(block) + enumerations(block) + to_hardware(block) + from_hardware(block);
  return out + "endpackage\n";
}

std::string emit_sv_map(const Design& design) {
  const Map& map = design.map;
  std::string bases;
  std::string targets = fmt::format("    TargetNone = 4'd0");
  std::string decode;
  int index = 0;
  for (const Placement& placement : map.placements) {
    const std::string name = camel(placement.name);
    bases += fmt::format("  parameter logic [23:0] {}Base = 24'h{:06x};\n", name, placement.base);
    targets += fmt::format(",\n    Target{} = 4'd{}", name, ++index);
    decode += fmt::format("    if (page == {}Base[23:12]) return Target{};\n", name, name);
  }
  for (const Window& window : map.windows) {
    const std::string name = camel(window.name);
    unsigned low = 0;
    while ((1U << low) < window.size) ++low;
    bases += fmt::format("  parameter logic [23:0] {}Base = 24'h{:06x};\n", name, window.base);
    bases += fmt::format("  parameter int unsigned {}Bytes = {};\n", name, window.size);
    targets += fmt::format(",\n    Target{} = 4'd{}", name, ++index);
    decode += fmt::format("    if (page[11:{0}] == {2}Base[23:{1}]) return Target{2};\n", low - 12, low, name);
  }
  std::string out = "// Generated from the register map; edit that, not this.\n";
  out += fmt::format("package {}_regs_pkg;\n\n{}{}\n", map.chip, waiver, bases);
  out += fmt::format("  typedef enum logic [3:0] {{\n{}\n  }} target_e;\n\n", targets);
  out +=
      "  // Who answers a 4 KiB page (address bits 23:12) of the host port.\n  function automatic target_e "
      "decode(input logic [11:0] page);\n";
  return out + decode + "    return TargetNone;\n  endfunction\n\nendpackage\n";
}

std::string emit_sv_regions(const Design& design) {
  std::string parameters;
  for (const Region& region : design.map.regions) {
    const std::string name = camel(region.name);
    parameters += fmt::format("  // {}\n  parameter logic [{}:0] Axi{}Base = {}'h{:010x};\n", one_line(region.doc),
                              data_bus_address_bits - 1, name, data_bus_address_bits, region.base);
    parameters += fmt::format("  parameter logic [{}:0] Axi{}Bytes = {}'h{:x};\n", data_bus_address_bits - 1, name,
                              data_bus_address_bits, region.size);
  }
  return fmt::format(
      "// Generated from the register map; edit that, not this.\npackage {}_axi_map_pkg;\n\n{}{}\nendpackage\n",
      design.map.chip, waiver, parameters);
}

}  // namespace regtool
