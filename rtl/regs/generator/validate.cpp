#include "rtl/regs/generator/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace regtool {
namespace {

/// Names must differ within their scope.
class Names {
 public:
  Names(std::string what, const std::string& file, Diagnostics& diagnostics)
      : what_(std::move(what)), file_(file), diagnostics_(diagnostics) {}
  void add(const std::string& name, Mark mark) {
    const auto [at, fresh] = lines_.emplace(name, mark.line);
    if (!fresh && !name.empty())
      diagnostics_.error(file_, mark, fmt::format("{} `{}` is already defined on line {}", what_, name, at->second));
  }

 private:
  std::string what_;
  std::string file_;
  Diagnostics& diagnostics_;
  std::map<std::string, int> lines_;
};

/// Half-open ranges that must not meet.
struct Range {
  std::uint64_t begin;
  std::uint64_t end;
  std::string name;
  Mark mark;
};

void report_overlaps(std::vector<Range> ranges, const std::string& file, Diagnostics& diagnostics) {
  std::stable_sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::size_t furthest = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin < ranges[furthest].end)
      diagnostics.error(file, ranges[i].mark,
                        fmt::format("{} at {:#x} overlaps {} ({:#x} to {:#x}, line {})", ranges[i].name,
                                    ranges[i].begin, ranges[furthest].name, ranges[furthest].begin,
                                    ranges[furthest].end - 1, ranges[furthest].mark.line));
    if (ranges[i].end > ranges[furthest].end) furthest = i;
  }
}

void validate_field(const Field& field, const std::string& file, Diagnostics& diagnostics) {
  Names values("value", file, diagnostics);
  std::set<std::uint32_t> numbers;
  for (const EnumValue& value : field.values) {
    values.add(value.name, value.mark);
    if (!numbers.insert(value.value).second)
      diagnostics.error(file, value.mark, fmt::format("two names for value {} of field `{}`", value.value, field.name));
  }
  if (!field.values.empty() && (!field.unit.empty() || field.is_signed))
    diagnostics.error(file, field.mark,
                      fmt::format("field `{}` has an `enum`, so it can have neither unit nor sign", field.name));
  if (field.scale != 1.0 && field.unit.empty())
    diagnostics.error(file, field.mark, fmt::format("field `{}` has a `scale` but no `unit`", field.name));
}

void validate_register(const Register& reg, const std::string& file, Diagnostics& diagnostics) {
  Names names("field", file, diagnostics);
  std::uint32_t used = 0;
  for (const Field& field : reg.fields) {
    names.add(field.name, field.mark);
    if (field.name == "read_pulse" && reg.read_pulse)
      diagnostics.error(file, field.mark, "a register with `read_pulse` cannot have a field of that name");
    if ((used & field.register_mask()) != 0)
      diagnostics.error(file, field.mark,
                        fmt::format("field `{}` ({}:{}) overlaps another field of register `{}`", field.name,
                                    field.msb(), field.lsb, reg.name));
    used |= field.register_mask();
    validate_field(field, file, diagnostics);
  }
  if (reg.offset % 4 != 0)
    diagnostics.error(file, reg.mark,
                      fmt::format("offset {:#x} of register `{}` is not 32-bit aligned", reg.offset, reg.name));
  if (reg.stride % 4 != 0 || reg.stride == 0)
    diagnostics.error(file, reg.mark,
                      fmt::format("stride {} of register `{}` is not a multiple of 4", reg.stride, reg.name));
  if (reg.count == 0 || reg.count > block_window_bytes / 4)
    diagnostics.error(file, reg.mark,
                      fmt::format("count {} of register `{}` is not within 1 to 1024", reg.count, reg.name));
}

/// One range an element, so that the arrays of a structure may interleave.
void add_ranges(const Register& reg, std::vector<Range>& ranges) {
  for (std::uint32_t i = 0; i < std::min(reg.count, block_window_bytes / 4); ++i) {
    const std::uint64_t begin = std::uint64_t{reg.offset} + std::uint64_t{reg.stride} * i;
    const std::string index = reg.is_array ? fmt::format("[{}]", i) : "";
    ranges.push_back({begin, begin + 4, fmt::format("register `{}{}`", reg.name, index), reg.mark});
  }
}

}  // namespace

void validate_block(const Block& block, Diagnostics& diagnostics) {
  Names names("register or memory", block.file, diagnostics);
  std::vector<Range> ranges;
  for (const Register& reg : block.registers) {
    names.add(reg.name, reg.mark);
    validate_register(reg, block.file, diagnostics);
    add_ranges(reg, ranges);
  }
  for (const Memory& memory : block.memories) {
    names.add(memory.name, memory.mark);
    const bool power_of_two = memory.size >= 4 && (memory.size & (memory.size - 1)) == 0;
    if (!power_of_two || memory.offset % memory.size != 0)
      diagnostics.error(block.file, memory.mark,
                        fmt::format("memory `{}` must be a power of two in size and aligned to it", memory.name));
    ranges.push_back({memory.offset, std::uint64_t{memory.offset} + memory.size,
                      fmt::format("memory `{}`", memory.name), memory.mark});
  }
  for (const Range& range : ranges)
    if (range.end > block_window_bytes)
      diagnostics.error(block.file, range.mark,
                        fmt::format("{} ends at {:#x}, outside of the block's {:#x} bytes", range.name, range.end - 1,
                                    block_window_bytes));
  report_overlaps(std::move(ranges), block.file, diagnostics);
}

namespace {

void validate_regions(const Map& map, Diagnostics& diagnostics) {
  Names names("region", map.file, diagnostics);
  std::vector<Range> ranges;
  for (const Region& region : map.regions) {
    names.add(region.name, region.mark);
    const bool power_of_two = region.size >= block_window_bytes && (region.size & (region.size - 1)) == 0;
    if (!power_of_two || region.base % region.size != 0)
      diagnostics.error(
          map.file, region.mark,
          fmt::format("region `{}` must be a power of two in size, 4 KiB at least, and aligned to it", region.name));
    if (region.base + region.size > std::uint64_t{1} << data_bus_address_bits)
      diagnostics.error(
          map.file, region.mark,
          fmt::format("region `{}` leaves the data bus's {} address bits", region.name, data_bus_address_bits));
    ranges.push_back({region.base, region.base + region.size, fmt::format("region `{}`", region.name), region.mark});
  }
  report_overlaps(std::move(ranges), map.file, diagnostics);
}

}  // namespace

void validate_design(const Design& design, Diagnostics& diagnostics) {
  const Map& map = design.map;
  Names names("block or window", map.file, diagnostics);
  std::vector<Range> ranges;
  for (const Placement& placement : map.placements) {
    names.add(placement.name, placement.mark);
    if (placement.name == map.chip)
      diagnostics.error(map.file, placement.mark, fmt::format("block `{}` is named like the chip", placement.name));
    if (placement.base % block_window_bytes != 0)
      diagnostics.error(map.file, placement.mark,
                        fmt::format("base {:#x} of `{}` is not 4 KiB aligned", placement.base, placement.name));
    ranges.push_back({placement.base, std::uint64_t{placement.base} + block_window_bytes,
                      fmt::format("block `{}`", placement.name), placement.mark});
  }
  for (const Window& window : map.windows) {
    names.add(window.name, window.mark);
    const bool power_of_two = window.size >= block_window_bytes && (window.size & (window.size - 1)) == 0;
    if (!power_of_two || window.base % window.size != 0)
      diagnostics.error(
          map.file, window.mark,
          fmt::format("window `{}` must be a power of two in size, 4 KiB at least, and aligned to it", window.name));
    ranges.push_back(
        {window.base, std::uint64_t{window.base} + window.size, fmt::format("window `{}`", window.name), window.mark});
  }
  for (const Range& range : ranges)
    if (range.end > host_space_bytes)
      diagnostics.error(map.file, range.mark, fmt::format("{} leaves the 24-bit host address space", range.name));
  report_overlaps(std::move(ranges), map.file, diagnostics);
  validate_regions(map, diagnostics);
}

}  // namespace regtool
