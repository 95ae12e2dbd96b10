#include "tb/golden/hbm/march.h"

#include <algorithm>

namespace tb::golden::hbm {
namespace {

/// March C-: does an element read, write, which value, in which direction.
struct Element {
  bool reads = true;
  bool read_complement = false;
  bool writes = true;
  bool write_complement = false;
  bool down = false;
};
constexpr std::array<Element, 6> kElements = {{{false, false, true, false, false},
                                               {true, false, true, true, false},
                                               {true, true, true, false, false},
                                               {true, false, true, true, true},
                                               {true, true, true, false, true},
                                               {true, false, false, false, false}}};

using Block = std::vector<std::uint32_t>;  // offsets of its words, upwards

std::vector<Block> blocks_of(const MarchPlan& plan, Test test) {
  std::vector<Block> out;
  if (test == Test::lines) {
    out.push_back({0});
    for (std::uint64_t line = kWordBytes; line < plan.size; line *= 2)
      out.push_back({static_cast<std::uint32_t>(line)});
    return out;
  }
  const std::uint32_t words = 1U << plan.burst;
  for (std::uint32_t at = plan.base; at < plan.base + plan.length; at += words * kWordBytes) {
    Block block;
    for (std::uint32_t i = 0; i < words; ++i) block.push_back(at + i * kWordBytes);
    out.push_back(std::move(block));
  }
  return out;
}

class March {
 public:
  March(const MarchPlan& plan, const SpareRows& spares, const MemoryPort& memory)
      : plan_(plan), spares_(spares), memory_(memory) {}

  MarchResult run() {
    for (unsigned test = 0; test < kTests; ++test) {
      if (((plan_.tests >> test) & 1U) == 0) continue;
      test_ = static_cast<Test>(test);
      std::vector<Block> blocks = blocks_of(plan_, test_);
      for (element_ = 0; element_ < kElements.size(); ++element_) {
        const bool down = kElements[element_].down;
        if (down) std::reverse(blocks.begin(), blocks.end());
        for (const Block& block : blocks) step(block);
        if (down) std::reverse(blocks.begin(), blocks.end());
      }
    }
    return result_;
  }

 private:
  void step(const Block& block) {
    const Element& element = kElements[element_];
    if (element.reads)
      for (const std::uint32_t offset : block) check(offset, element.read_complement);
    if (element.writes) {
      Block order = block;
      if (element.down) std::reverse(order.begin(), order.end());
      for (const std::uint32_t offset : order) memory_.write(physical(offset), value(offset, element.write_complement));
    }
    ++result_.blocks;
  }
  std::uint64_t value(std::uint32_t offset, bool complement) const {
    const std::uint64_t d = background(test_, plan_.seed, offset);
    return complement ? ~d : d;
  }
  std::uint32_t physical(std::uint32_t offset) const { return mapped(spares_, plan_.size, offset); }
  void check(std::uint32_t offset, bool complement) {
    const std::uint64_t bits = memory_.read(physical(offset)) ^ value(offset, complement);
    if (bits == 0) return;
    ++result_.errors;
    if (!result_.first) result_.first = MarchError{test_, element_, offset, bits};
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (((bits >> (8 * lane)) & 0xFFU) != 0) ++result_.lane_errors[lane];
    const std::uint32_t row = offset / kRowBytes * kRowBytes;
    if (std::find(result_.rows.begin(), result_.rows.end(), row) == result_.rows.end()) result_.rows.push_back(row);
  }

  const MarchPlan& plan_;
  const SpareRows& spares_;
  const MemoryPort& memory_;
  MarchResult result_;
  Test test_ = Test::solid;
  unsigned element_ = 0;
};

}  // namespace

std::uint32_t mapped(const SpareRows& spares, std::uint32_t size, std::uint32_t offset) {
  for (std::uint32_t s = 0; s < kSpares; ++s)
    if (spares[s].enable && !spares[s].dead && spares[s].row == offset / kRowBytes * kRowBytes)
      return size + s * kRowBytes + offset % kRowBytes;
  return offset;
}

MarchResult march(const MarchPlan& plan, const SpareRows& spares, const MemoryPort& memory) {
  return March(plan, spares, memory).run();
}

bool repair(SpareRows& spares, const std::vector<std::uint32_t>& rows) {
  bool exhausted = rows.size() > kSpares;
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), kSpares); ++i) {
    const auto free = std::find_if(spares.begin(), spares.end(), [](const SpareRow& s) { return !s.enable; });
    for (SpareRow& spare : spares)
      if (spare.enable && !spare.dead && spare.row == rows[i]) spare.dead = true;
    if (free == spares.end())
      exhausted = true;
    else
      *free = SpareRow{true, false, rows[i]};
  }
  return exhausted;
}

}  // namespace tb::golden::hbm
