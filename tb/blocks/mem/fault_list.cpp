#include "tb/blocks/mem/fault_list.h"

#include <utility>

namespace tb::blocks::mem {
namespace {

using Kind = MemoryFault::Kind;
using Pairs = std::vector<std::pair<Cell, Cell>>;

void add_cells(std::vector<ListedFault>& out, const std::vector<Cell>& cells) {
  for (const Cell& cell : cells)
    for (const bool value : {false, true}) {
      out.push_back({{Kind::stuck_at, cell, {}, false, value}});
      out.push_back({{Kind::transition, cell, {}, false, value}});
    }
}

void add_couplings(std::vector<ListedFault>& out, const Pairs& pairs) {
  for (const auto& [aggressor, victim] : pairs)
    for (const bool edge : {false, true}) {
      out.push_back({{Kind::coupling_inversion, victim, aggressor, edge, false}});
      for (const bool value : {false, true}) {
        out.push_back({{Kind::coupling_idempotent, victim, aggressor, edge, value}});
        out.push_back({{Kind::coupling_state, victim, aggressor, edge, value}});
      }
    }
}

void add_decoders(std::vector<ListedFault>& out, const Pairs& pairs) {
  for (const auto& [aggressor, victim] : pairs) {
    out.push_back({{Kind::no_cell, victim, {}, false, false}});
    out.push_back({{Kind::other_cell, victim, aggressor, false, false}});
    out.push_back({{Kind::two_cells, victim, aggressor, false, false}});
  }
}

}  // namespace

std::vector<ListedFault> fault_list(unsigned words, unsigned bits) {
  const unsigned last = words - 1;
  std::vector<ListedFault> out;
  // The first, a middle and the last word; low and high bits.
  add_cells(out, {{0, 0}, {1, bits - 1}, {words / 8 * 5, bits / 2 - 3}, {last, bits - 9}});
  // Aggressor and victim: below and above it, next to it and far away, and the same bit or another.
  const Pairs pairs = {{{0, 0}, {last, bits - 1}}, {{last, 0}, {0, 0}}, {{17, bits - 2}, {18, 3}}};
  add_couplings(out, pairs);
  // Faults between bits of one word need a background in which the two differ: bits 0 and 1 do in 0x55, bits 0 and 2
  // in 0x33, bits 0 and 4 in 0x0f.
  const Pairs pairs_of_one_word = {{{77, 0}, {77, 1}}, {{77, bits - 6}, {77, bits - 8}}, {{last, 12}, {last, 8}}};
  for (const auto& [aggressor, victim] : pairs_of_one_word)
    for (const bool edge : {false, true})
      out.push_back({{Kind::coupling_state, victim, aggressor, edge, edge}, kAllBackgrounds});
  add_decoders(out, pairs);
  return out;
}

std::set<unsigned> words_of(const MemoryFault& fault) {
  const bool two = fault.kind != Kind::stuck_at && fault.kind != Kind::transition && fault.kind != Kind::no_cell;
  return two ? std::set<unsigned>{fault.victim.row, fault.aggressor.row} : std::set<unsigned>{fault.victim.row};
}

}  // namespace tb::blocks::mem
