#include "lab/core/register_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "lab/core/suggest.h"

namespace firstlight {
namespace {

/// One dotted part of a name: "lane_errors[2]" is {"lane_errors", 2}.
struct Part {
  std::string name;
  std::optional<std::uint32_t> index;
};

std::optional<std::uint32_t> parse_index(std::string_view text) {
  const bool hexadecimal = text.substr(0, 2) == "0x";
  if (hexadecimal) text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (text.empty() || status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Nothing when the brackets are malformed.
std::optional<Part> parse_part(std::string_view text) {
  const auto open = text.find('[');
  if (open == std::string_view::npos) return Part{std::string(text), std::nullopt};
  if (text.back() != ']') return std::nullopt;
  const auto index = parse_index(text.substr(open + 1, text.size() - open - 2));
  if (!index) return std::nullopt;
  return Part{std::string(text.substr(0, open)), index};
}

std::optional<std::vector<Part>> parse_path(std::string_view path) {
  std::vector<Part> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('.', begin), path.size());
    auto part = parse_part(path.substr(begin, end - begin));
    if (!part || part->name.empty()) return std::nullopt;
    parts.push_back(std::move(*part));
    begin = end + 1;
  }
  return parts;
}

template <class Items>
auto named(const Items& items, std::string_view name) -> decltype(&items[0]) {
  const auto at = std::find_if(items.begin(), items.end(), [name](const auto& item) { return item.name == name; });
  return at == items.end() ? nullptr : &*at;
}

template <class Items>
void append_names(const Items& items, std::vector<std::string>& names) {
  for (const auto& item : items) names.push_back(item.name);
}

RegisterLookup failed(std::string error) { return {std::nullopt, std::move(error)}; }

RegisterLookup unknown(std::string_view what, std::string_view name, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  return failed(fmt::format("{} `{}` does not exist{}", what, name,
                            nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest)));
}

RegisterLookup in_memory(RegisterRef ref, const Part& part, std::uint32_t base) {
  ref.index = part.index.value_or(0);
  if (ref.index % 4 != 0 || ref.index >= ref.memory->size)
    return failed(fmt::format("byte offset {:#x} is not a word of memory `{}` ({:#x} bytes)", ref.index, part.name,
                              ref.memory->size));
  ref.address = base + ref.memory->offset + ref.index;
  return {ref, ""};
}

RegisterLookup in_register(RegisterRef ref, const Part& part) {
  const RegisterInfo& reg = *ref.reg;
  if (part.index && !reg.is_array) return failed(fmt::format("register `{}` is no array", part.name));
  if (!part.index && reg.is_array)
    return failed(fmt::format("register `{0}` is an array: say `{0}[0]` to `{0}[{1}]`", part.name, reg.count - 1));
  ref.index = part.index.value_or(0);
  if (ref.index >= reg.count)
    return failed(fmt::format("index {} is outside of `{}[0..{}]`", ref.index, part.name, reg.count - 1));
  ref.address = ref.block->base + reg.offset + ref.index * reg.stride;
  return {ref, ""};
}

RegisterLookup in_block(const BlockInfo& block, const std::vector<Part>& parts) {
  RegisterRef ref;
  ref.block = &block;
  if (parts.size() < 2) return failed(fmt::format("`{}` is a block; name one of its registers", block.name));
  ref.memory = named(block.memories, parts[1].name);
  if (ref.memory && parts.size() == 2) return in_memory(ref, parts[1], block.base);
  ref.reg = named(block.registers, parts[1].name);
  if (!ref.reg) {
    std::vector<std::string> known;
    append_names(block.registers, known);
    append_names(block.memories, known);
    return unknown(fmt::format("in block `{}`, register", block.name), parts[1].name, known);
  }
  RegisterLookup lookup = in_register(ref, parts[1]);
  if (!lookup || parts.size() == 2) return lookup;
  lookup.found->field = named(ref.reg->fields, parts[2].name);
  if (lookup.found->field && !parts[2].index && parts.size() == 3) return lookup;
  std::vector<std::string> known;
  append_names(ref.reg->fields, known);
  return unknown(fmt::format("in register `{}.{}`, field", block.name, parts[1].name), parts[2].name, known);
}

std::string element_name(const BlockInfo& block, const RegisterInfo& reg, std::uint32_t index) {
  return reg.is_array ? fmt::format("{}.{}[{}]", block.name, reg.name, index)
                      : fmt::format("{}.{}", block.name, reg.name);
}

}  // namespace

std::string_view to_string(Access access) {
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
  return "?";
}

std::int64_t FieldInfo::number(std::uint32_t raw) const {
  const std::int64_t value = raw & value_mask();
  const std::int64_t span = std::int64_t{1} << width;
  return is_signed && value >= span / 2 ? value - span : value;
}

std::optional<std::uint32_t> FieldInfo::raw(std::int64_t number) const {
  const std::int64_t span = std::int64_t{1} << width;
  const std::int64_t lowest = is_signed ? -span / 2 : 0;
  const std::int64_t beyond = is_signed ? span / 2 : span;
  if (number < lowest || number >= beyond) return std::nullopt;
  return static_cast<std::uint32_t>(number) & value_mask();
}

std::string_view FieldInfo::value_name(std::uint32_t raw) const {
  for (const auto& [name, value] : values)
    if (value == raw) return name;
  return {};
}

std::optional<std::uint32_t> FieldInfo::value_of(std::string_view name) const {
  for (const auto& [known, value] : values)
    if (known == name) return value;
  return std::nullopt;
}

std::uint32_t RegisterInfo::reset() const {
  std::uint32_t value = 0;
  for (const FieldInfo& field : fields)
    if (field.access != Access::ReadOnly && field.access != Access::WritePulse)
      value = field.insert(value, field.reset);
  return value;
}

bool RegisterInfo::is_writable() const {
  return std::any_of(fields.begin(), fields.end(),
                     [](const FieldInfo& f) { return firstlight::is_writable(f.access); });
}

RegisterMap::RegisterMap(std::string chip, std::vector<BlockInfo> blocks, std::vector<MemoryInfo> windows,
                         std::vector<RegionInfo> regions)
    : chip_(std::move(chip)), blocks_(std::move(blocks)), windows_(std::move(windows)), regions_(std::move(regions)) {}

const RegionInfo& RegisterMap::region(std::string_view name) const {
  for (const RegionInfo& region : regions_)
    if (region.name == name) return region;
  throw std::out_of_range(fmt::format("{} has no region {}", chip_, name));
}

RegisterLookup RegisterMap::find(std::string_view path) const {
  const auto parts = parse_path(path);
  if (!parts) return failed(fmt::format("`{}` is no register name; `block.register[index].field` is the form", path));
  if (const MemoryInfo* window = named(windows_, parts->front().name); window && parts->size() == 1) {
    RegisterRef ref;
    ref.memory = window;
    return in_memory(ref, parts->front(), 0);
  }
  if (const BlockInfo* block = named(blocks_, parts->front().name)) {
    if (parts->front().index) return failed(fmt::format("block `{}` is no array", block->name));
    return in_block(*block, *parts);
  }
  std::vector<std::string> known;
  append_names(blocks_, known);
  append_names(windows_, known);
  return unknown("block", parts->front().name, known);
}

std::string RegisterMap::name_of(std::uint32_t address) const {
  const std::uint32_t word = address & ~3U;
  for (const MemoryInfo& window : windows_)
    if (word >= window.offset && word - window.offset < window.size)
      return fmt::format("{}[{:#x}]", window.name, word - window.offset);
  for (const BlockInfo& block : blocks_) {
    if (word < block.base || word - block.base >= block.size) continue;
    const std::uint32_t offset = word - block.base;
    for (const MemoryInfo& memory : block.memories)
      if (offset >= memory.offset && offset - memory.offset < memory.size)
        return fmt::format("{}.{}[{:#x}]", block.name, memory.name, offset - memory.offset);
    for (const RegisterInfo& reg : block.registers)
      for (std::uint32_t i = 0; i < reg.count; ++i)
        if (offset == reg.offset + i * reg.stride) return element_name(block, reg, i);
  }
  return fmt::format("0x{:06x}", address);
}

std::vector<std::string> RegisterMap::names() const {
  std::vector<std::string> out;
  for (const BlockInfo& block : blocks_)
    for (const RegisterInfo& reg : block.registers)
      for (std::uint32_t i = 0; i < reg.count; ++i) {
        const std::string name = element_name(block, reg, i);
        out.push_back(name);
        for (const FieldInfo& field : reg.fields) out.push_back(name + "." + field.name);
      }
  return out;
}

}  // namespace firstlight
