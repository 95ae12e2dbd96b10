#include "rtl/regs/generator/naming.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace regtool {

std::string camel(const std::string& snake) {
  std::string out;
  bool start = true;
  for (const char c : snake) {
    if (c == '_') {
      start = true;
      continue;
    }
    out += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = false;
  }
  return out;
}

std::string upper(const std::string& snake) {
  std::string out = snake;
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return out;
}

std::string access_name(Access access) {
  switch (access) {
    case Access::ReadWrite:
      return "rw";
    case Access::ReadOnly:
      return "ro";
    case Access::WriteOneClear:
      return "w1c";
    case Access::WritePulse:
      return "wp";
    case Access::ReadWriteHardware:
      return "rwh";
    case Access::Constant:
      return "const";
  }
  return "";
}

std::string domain_name(Domain domain) { return domain == Domain::Core ? "core" : "ref"; }

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string one_line(const std::string& text) {
  std::string out = text;
  std::replace(out.begin(), out.end(), '\n', ' ');
  while (!out.empty() && (out.back() == ' ' || out.back() == '\\')) out.pop_back();
  return out;
}

std::string bit_range(const Field& field) {
  return field.width == 1 ? fmt::format("{}", field.lsb) : fmt::format("{}:{}", field.msb(), field.lsb);
}

bool reaches_hardware(const Register& reg) {
  return reg.read_pulse ||
         std::any_of(reg.fields.begin(), reg.fields.end(), [](const Field& f) { return is_stored(f.access); });
}
bool comes_from_hardware(const Register& reg) {
  return std::any_of(reg.fields.begin(), reg.fields.end(), [](const Field& f) { return is_hardware_driven(f.access); });
}
bool reaches_hardware(const Block& block) {
  return std::any_of(block.registers.begin(), block.registers.end(),
                     [](const Register& r) { return reaches_hardware(r); });
}
bool comes_from_hardware(const Block& block) {
  return std::any_of(block.registers.begin(), block.registers.end(),
                     [](const Register& r) { return comes_from_hardware(r); });
}

std::vector<Element> elements_of(const Register& reg) {
  std::vector<Element> out;
  for (std::uint32_t i = 0; i < reg.count; ++i)
    out.push_back({&reg, i, reg.offset + i * reg.stride, reg.is_array ? fmt::format("{}[{}]", reg.name, i) : reg.name});
  return out;
}

}  // namespace regtool
