#include "rtl/regs/generator/parse.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "rtl/regs/generator/yaml_map.h"

namespace regtool {
namespace {

struct AccessName {
  const char* name;
  Access access;
};
constexpr AccessName access_names[] = {{"rw", Access::ReadWrite},          {"ro", Access::ReadOnly},
                                       {"w1c", Access::WriteOneClear},     {"wp", Access::WritePulse},
                                       {"rwh", Access::ReadWriteHardware}, {"const", Access::Constant}};

class Parser {
 public:
  Parser(const std::string& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  std::optional<YAML::Node> load(const std::string& text) {
    try {
      return YAML::Load(text);
    } catch (const YAML::Exception& e) {
      diagnostics_.error(file_, {e.mark.line + 1, e.mark.column + 1}, e.msg);
      return std::nullopt;
    }
  }

  YamlMap map(const YAML::Node& node, std::string what, const std::vector<std::string>& keys) {
    return {node, std::move(what), keys, file_, diagnostics_};
  }

  Access access(YamlMap& from, const std::vector<std::string>& allowed) {
    const std::string name = from.text("access", true);
    for (const AccessName& known : access_names)
      for (const std::string& one : allowed)
        if (name == known.name && name == one) return known.access;
    if (from.has("access") && !name.empty())
      from.error(from.mark("access"), fmt::format("access `{}` is not one of {}{}", name, fmt::join(allowed, ", "),
                                                  suggestion(name, allowed)));
    return Access::ReadOnly;
  }

  Varies varies(YamlMap& from) {
    const std::string name = from.text("varies", false);
    if (name == "analog") return Varies::Analog;
    if (name == "count") return Varies::Count;
    if (name == "free") return Varies::Free;
    if (!name.empty())
      from.error(from.mark("varies"), fmt::format("varies `{}` is not one of analog, count, free", name));
    return Varies::No;
  }

  void bits(YamlMap& from, Field& field) {
    const std::string text = from.text("bits", true);
    if (text.empty()) return;
    const auto colon = text.find(':');
    const auto high = parse_integer(text.substr(0, colon));
    const auto low = colon == std::string::npos ? high : parse_integer(text.substr(colon + 1));
    if (!high || !low)
      return from.error(from.mark("bits"), fmt::format("`bits` must be `bit` or `\"high:low\"`, not `{}`", text));
    if (*high < *low || *low < 0 || *high > 31)
      return from.error(from.mark("bits"), fmt::format("bits {} are not high:low within 31:0", text));
    field.lsb = static_cast<unsigned>(*low);
    field.width = static_cast<unsigned>(*high - *low + 1);
  }

  void reset(YamlMap& from, Field& field) {
    const auto value = from.integer("reset");
    if (!value) {
      const bool needed = field.access == Access::ReadWrite || field.access == Access::ReadWriteHardware ||
                          field.access == Access::Constant;
      if (!from.has("reset") && needed) from.error(from.mark(), fmt::format("field `{}` lacks `reset`", field.name));
      return;
    }
    const std::int64_t span = std::int64_t{1} << field.width;
    // A decimal number is the value, a hexadecimal one the raw bits.
    const bool raw = from.text("reset", false).rfind("0x", 0) == 0;
    const std::int64_t lowest = field.is_signed ? -span / 2 : 0;
    const std::int64_t beyond = field.is_signed && !raw ? span / 2 : span;
    if (*value < lowest || *value >= beyond)
      return from.error(from.mark("reset"), fmt::format("reset {:#x} of field `{}` is wider than its {} bit{}", *value,
                                                        field.name, field.width, field.width == 1 ? "" : "s"));
    field.reset = static_cast<std::uint32_t>(*value) & field.value_mask();
  }

  void values(YamlMap& from, Field& field) {
    const YAML::Node node = from.at("enum");
    if (!node.IsDefined()) return;
    if (!node.IsMap() || node.size() == 0)
      return from.error(mark_of(node), fmt::format("`enum` of field `{}` must map names to values", field.name));
    for (const auto& entry : node) {
      EnumValue value{entry.first.Scalar(), 0, mark_of(entry.first)};
      if (const auto problem = name_problem(value.name)) from.error(value.mark, *problem);
      const auto number = entry.second.IsScalar() ? parse_integer(entry.second.Scalar()) : std::nullopt;
      if (!number || *number < 0 || *number > static_cast<std::int64_t>(field.value_mask()))
        from.error(mark_of(entry.second), fmt::format("value of `{}` does not fit the {} bits of field `{}`",
                                                      value.name, field.width, field.name));
      else
        value.value = static_cast<std::uint32_t>(*number);
      field.values.push_back(std::move(value));
    }
  }

  Field field(const YAML::Node& node) {
    YamlMap from =
        map(node, "a field", {"name", "bits", "access", "reset", "unit", "scale", "signed", "enum", "varies", "doc"});
    Field field;
    field.mark = from.mark();
    field.name = from.name("name");
    bits(from, field);
    field.access = access(from, {"rw", "ro", "w1c", "wp", "rwh", "const"});
    field.is_signed = from.flag("signed", false);
    reset(from, field);
    field.unit = from.text("unit", false);
    field.scale = from.real("scale", 1.0);
    values(from, field);
    field.varies = varies(from);
    field.doc = from.text("doc", true);
    return field;
  }

  Register reg(const YAML::Node& node) {
    YamlMap from = map(node, "a register", {"name", "offset", "count", "stride", "read_pulse", "doc", "fields"});
    Register reg;
    reg.mark = from.mark();
    reg.name = from.name("name");
    reg.offset = from.number("offset", std::nullopt);
    reg.is_array = from.has("count");
    reg.count = from.number("count", 1);
    reg.stride = from.number("stride", 4);
    reg.read_pulse = from.flag("read_pulse", false);
    reg.doc = from.text("doc", true);
    if (from.has("stride") && !reg.is_array) from.error(from.mark("stride"), "`stride` needs `count`");
    const auto fields = from.items("fields", true);
    for (const YAML::Node& item : fields) reg.fields.push_back(field(item));
    if (fields.empty() && from.at("fields").IsSequence())
      from.error(from.mark(), fmt::format("register `{}` has no field", reg.name));
    return reg;
  }

  Memory memory(const YAML::Node& node) {
    YamlMap from = map(node, "a memory", {"name", "offset", "size", "access", "varies", "doc"});
    Memory memory;
    memory.mark = from.mark();
    memory.name = from.name("name");
    memory.offset = from.number("offset", std::nullopt);
    memory.size = from.number("size", std::nullopt);
    memory.access = access(from, {"ro", "rw"});
    memory.varies = varies(from);
    memory.doc = from.text("doc", true);
    return memory;
  }

  Window window(const YAML::Node& node) {
    YamlMap from = map(node, "a window", {"name", "base", "size", "access", "doc"});
    Window window;
    window.mark = from.mark();
    window.name = from.name("name");
    window.base = from.number("base", std::nullopt);
    window.size = from.number("size", std::nullopt);
    window.access = access(from, {"ro", "rw"});
    window.doc = from.text("doc", true);
    return window;
  }

  Region region(const YAML::Node& node) {
    YamlMap from = map(node, "a region", {"name", "base", "size", "doc"});
    Region region;
    region.mark = from.mark();
    region.name = from.name("name");
    region.base = from.wide_number("base");
    region.size = from.wide_number("size");
    region.doc = from.text("doc", true);
    return region;
  }

  Domain domain(YamlMap& from) {
    const std::string name = from.text("domain", true);
    if (!name.empty() && name != "ref" && name != "core")
      from.error(from.mark("domain"), fmt::format("domain `{}` is neither `ref` nor `core`", name));
    return name == "core" ? Domain::Core : Domain::Reference;
  }

 private:
  std::string file_;
  Diagnostics& diagnostics_;
};

}  // namespace

Block parse_block(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
  Parser parser(file, diagnostics);
  Block block;
  block.file = file;
  const auto node = parser.load(text);
  if (!node) return block;
  YamlMap from = parser.map(*node, "the block", {"block", "doc", "domain", "registers", "memories"});
  block.mark = from.mark();
  block.name = from.name("block");
  block.doc = from.text("doc", true);
  block.domain = parser.domain(from);
  for (const YAML::Node& item : from.items("registers", true)) block.registers.push_back(parser.reg(item));
  for (const YAML::Node& item : from.items("memories", false)) block.memories.push_back(parser.memory(item));
  return block;
}

Map parse_map(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
  Parser parser(file, diagnostics);
  Map map;
  map.file = file;
  const auto node = parser.load(text);
  if (!node) return map;
  YamlMap from = parser.map(*node, "the map", {"chip", "blocks", "windows", "regions"});
  map.chip = from.name("chip");
  for (const YAML::Node& item : from.items("blocks", true)) {
    YamlMap entry = parser.map(item, "a block of the map", {"block", "name", "base"});
    Placement placement;
    placement.block = entry.name("block");
    placement.name = entry.has("name") ? entry.name("name") : placement.block;
    placement.base = entry.number("base", std::nullopt);
    placement.mark = entry.mark();
    map.placements.push_back(std::move(placement));
  }
  for (const YAML::Node& item : from.items("windows", false)) map.windows.push_back(parser.window(item));
  for (const YAML::Node& item : from.items("regions", false)) map.regions.push_back(parser.region(item));
  return map;
}

}  // namespace regtool
