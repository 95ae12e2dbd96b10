#include <fmt/format.h>

#include "rtl/regs/generator/emit.h"
#include "rtl/regs/generator/naming.h"

namespace regtool {
namespace {

std::string sv_range(const Field& field) {
  return field.width == 1 ? fmt::format("[{}]", field.lsb) : fmt::format("[{}:{}]", field.msb(), field.lsb);
}

std::string address_match(const Memory& memory) {
  unsigned low = 0;
  while ((1U << low) < memory.size) ++low;
  if (low >= 12) return "1'b1";
  return fmt::format("reg_req_i.addr[11:{}] == {}'h{:x}", low, 12 - low, memory.offset >> low);
}

unsigned address_bits(const Memory& memory) {
  unsigned low = 0;
  while ((1U << low) < memory.size) ++low;
  return low;
}

/// What the host's write does to one field; `wmask` is already zero where a byte is not written.
std::string write_field(const std::string& path, const Field& field) {
  const std::string target = fmt::format("reg2hw_d.{}.{}", path, field.name);
  const std::string current = fmt::format("reg2hw_q.{}.{}", path, field.name);
  const std::string range = sv_range(field);
  switch (field.access) {
    case Access::ReadWrite:
    case Access::ReadWriteHardware:
      return fmt::format("          {0} = ({1} & ~wmask{2}) | (reg_req_i.wdata{2} & wmask{2});\n", target, current,
                         range);
    case Access::WriteOneClear:
      return fmt::format("          {0} = {1} & ~(reg_req_i.wdata{2} & wmask{2});\n", target, current, range);
    case Access::WritePulse:
      return fmt::format("          {0}.value = reg_req_i.wdata{1} & wmask{1};\n          {0}.pulse = |wmask{1};\n",
                         target, range);
    case Access::ReadOnly:
    case Access::Constant:
      break;
  }
  return "";
}

std::string read_value(const std::string& path, const Field& field) {
  switch (field.access) {
    case Access::ReadOnly:
      return fmt::format("hw2reg_i.{}.{}", path, field.name);
    case Access::Constant:
      return fmt::format("{}'h{:x}", field.width, field.reset);
    case Access::WritePulse:
      return "";
    default:
      return fmt::format("reg2hw_q.{}.{}", path, field.name);
  }
}

bool has_writable(const Register& reg) {
  for (const Field& field : reg.fields)
    if (is_host_writable(field.access)) return true;
  return false;
}

std::string writes(const Block& block) {
  std::string cases;
  for (const Register& reg : block.registers) {
    if (!has_writable(reg)) continue;
    for (const Element& element : elements_of(reg)) {
      cases +=
          fmt::format("        12'h{:03x}: begin  // {}\n          write_hit = 1'b1;\n", element.offset, element.path);
      for (const Field& field : reg.fields) cases += write_field(element.path, field);
      cases += "        end\n";
    }
  }
  return cases;
}

std::string pulse_ends(const Block& block) {
  std::string out;
  for (const Register& reg : block.registers)
    for (const Element& element : elements_of(reg))
      for (const Field& field : reg.fields)
        if (field.access == Access::WritePulse)
          out += fmt::format("    reg2hw_d.{}.{}.pulse = 1'b0;\n", element.path, field.name);
  return out;
}

/// After the host's write, so that hardware wins.
std::string hardware_updates(const Block& block) {
  std::string out;
  for (const Register& reg : block.registers)
    for (const Element& element : elements_of(reg))
      for (const Field& field : reg.fields) {
        const std::string path = fmt::format("{}.{}", element.path, field.name);
        if (field.access == Access::WriteOneClear)
          out += fmt::format("    reg2hw_d.{0} = reg2hw_d.{0} | hw2reg_i.{0};\n", path);
        if (field.access == Access::ReadWriteHardware)
          out += fmt::format("    if (hw2reg_i.{0}.load) reg2hw_d.{0} = hw2reg_i.{0}.value;\n", path);
      }
  return out;
}

std::string reads(const Block& block) {
  std::string out;
  for (const Register& reg : block.registers)
    for (const Element& element : elements_of(reg)) {
      out += fmt::format("      12'h{:03x}: begin  // {}\n", element.offset, element.path);
      out += "        read_hit = 1'b1;\n";
      for (const Field& field : reg.fields) {
        const std::string value = read_value(element.path, field);
        if (!value.empty()) out += fmt::format("        rdata{} = {};\n", sv_range(field), value);
      }
      out += "      end\n";
    }
  return out;
}

std::string ports(const Block& block) {
  std::string out =
      "    input  logic     clk_i,\n    input  logic     rst_ni,\n    input  reg_req_t reg_req_i,\n    output "
      "reg_rsp_t reg_rsp_o";
  for (const Memory& memory : block.memories)
    out += fmt::format(",\n    output reg_req_t {0}_req_o,\n    input  reg_rsp_t {0}_rsp_i", memory.name);
  if (reaches_hardware(block)) out += fmt::format(",\n    output {}_reg2hw_t reg2hw_o", block.name);
  if (comes_from_hardware(block)) out += fmt::format(",\n    input  {}_hw2reg_t hw2reg_i", block.name);
  return out + "\n";
}

std::string storage(const Block& block) {
  if (!reaches_hardware(block)) return "  assign write_hit = 1'b0;\n\n";
  const std::string cases = writes(block);
  std::string out = fmt::format(
      "  {0}_reg2hw_t reg2hw_d, reg2hw_q;\n\n  always_comb begin\n    reg2hw_d = reg2hw_q;\n    write_hit = 1'b0;\n{1}",
      block.name, pulse_ends(block));
  if (!cases.empty())
    out += fmt::format(
        "    if (write) begin\n      case (reg_req_i.addr)\n{}        default: ;\n      endcase\n    end\n", cases);
  out += hardware_updates(block) + "  end\n\n";
  out += fmt::format(
      "  always_ff @(posedge clk_i or negedge rst_ni) begin\n    if (!rst_ni) reg2hw_q <= {}Reg2HwReset;\n    else "
      "reg2hw_q <= "
      "reg2hw_d;\n  end\n\n  always_comb begin\n    reg2hw_o = reg2hw_q;\n",
      camel(block.name));
  for (const Register& reg : block.registers)
    if (reg.read_pulse)
      for (const Element& element : elements_of(reg))
        out += fmt::format("    reg2hw_o.{}.read_pulse = access && !reg_req_i.write && reg_req_i.addr == 12'h{:03x};\n",
                           element.path, element.offset);
  return out + "  end\n\n";
}

std::string memory_ports(const Block& block) {
  std::string out;
  for (const Memory& memory : block.memories) {
    const char* writable = memory.access == Access::ReadOnly ? " && !reg_req_i.write" : "";
    out += fmt::format("  logic {0}_hit;\n  assign {0}_hit = access && {1}{2} && reg_req_i.addr[1:0] == 2'b00;\n",
                       memory.name, address_match(memory), writable);
    const unsigned bits = address_bits(memory);
    const std::string addr =
        bits >= 12 ? "reg_req_i.addr" : fmt::format("{{{}'h0, reg_req_i.addr[{}:0]}}", 12 - bits, bits - 1);
    out += fmt::format(
        "  assign {0}_req_o = '{{valid: {0}_hit, write: reg_req_i.write, addr: {1},\n      wdata: reg_req_i.wdata, "
        "strb: "
        "reg_req_i.strb}};\n\n",
        memory.name, addr);
  }
  return out;
}

std::string response(const Block& block) {
  std::string out =
      "  // The answer is registered: one access takes two cycles, more when a memory makes it wait.\n"
      "  always_comb begin\n"
      "    rsp_d = '{ready: access, error: !(reg_req_i.write ? write_hit : read_hit), rdata: rdata};\n";
  for (const Memory& memory : block.memories) out += fmt::format("    if ({0}_hit) rsp_d = {0}_rsp_i;\n", memory.name);
  out +=
      "  end\n\n"
      "  always_ff @(posedge clk_i or negedge rst_ni) begin\n"
      "    if (!rst_ni) rsp_q <= '0;\n"
      "    else rsp_q <= rsp_d;\n"
      "  end\n"
      "  assign reg_rsp_o = rsp_q;\n\n";
  return out;
}

}  // namespace

std::string emit_sv_block(const Block& block) {
  std::string out = fmt::format(
      "// Generated from the register description of `{0}`; edit that, not this.\n// {1}\nmodule {0}_regs\n  import "
      "tern_pkg::*;\n  import "
      "{0}_regs_pkg::*;\n(\n{2});\n\n",
      block.name, one_line(block.doc), ports(block));
  out +=
      "  reg_rsp_t rsp_d, rsp_q;\n"
      "  logic access, write, read_hit, write_hit;\n"
      "  logic [31:0] wmask, rdata;\n\n"
      "  assign access = reg_req_i.valid && !rsp_q.ready;\n"
      "  assign write = access && reg_req_i.write;\n"
      "  assign wmask = {{8{reg_req_i.strb[3]}}, {8{reg_req_i.strb[2]}}, {8{reg_req_i.strb[1]}}, "
      "{8{reg_req_i.strb[0]}}};\n\n";
  out += storage(block);
  out += fmt::format(
      "  // Only within an access: a multiplexer that follows the address all the time costs power, and simulation.\n"
      "  always_comb begin\n    read_hit = 1'b0;\n    rdata = 32'h0;\n    if (access) case (reg_req_i.addr)\n{}      "
      "default: ;\n    endcase\n  end\n\n",
      reads(block));
  out += memory_ports(block);
  out += response(block);
  out +=
      "  // Bits of a write that no field takes.\n  logic unused_write;\n  assign unused_write = ^{write, wmask, "
      "reg_req_i.wdata};\n\n"
      "`ifndef SYNTHESIS\n"
      "  assert property (@(posedge clk_i) disable iff (!rst_ni)\n"
      "      reg_req_i.valid && !reg_rsp_o.ready |=> reg_req_i.valid && $stable(reg_req_i));\n"
      "`endif\n\n"
      "endmodule\n";
  return out;
}

}  // namespace regtool
