#include "rtl/regs/generator/design.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtl/regs/generator/parse.h"
#include "rtl/regs/generator/validate.h"

namespace regtool {

Design read_design(const SourceText& map, const std::vector<SourceText>& blocks, Diagnostics& diagnostics) {
  Design design;
  design.map = parse_map(map.text, map.file, diagnostics);
  std::vector<std::string> placed;
  for (const Placement& placement : design.map.placements) placed.push_back(placement.block);
  const auto rank = [&placed](const Block& block) { return std::find(placed.begin(), placed.end(), block.name); };

  for (const SourceText& source : blocks) {
    Block block = parse_block(source.text, source.file, diagnostics);
    validate_block(block, diagnostics);
    if (!block.name.empty() && rank(block) == placed.end())
      diagnostics.error(
          block.file, block.mark,
          fmt::format("{} does not place block `{}`{}", map.file, block.name, suggestion(block.name, placed)));
    if (const Block* other = design.find(block.name); other && !block.name.empty())
      diagnostics.error(block.file, block.mark,
                        fmt::format("block `{}` is already described by {}", block.name, other->file));
    design.blocks.push_back(std::move(block));
  }
  std::stable_sort(design.blocks.begin(), design.blocks.end(),
                   [&rank](const Block& a, const Block& b) { return rank(a) < rank(b); });
  validate_design(design, diagnostics);
  return design;
}

}  // namespace regtool
