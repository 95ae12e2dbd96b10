#pragma once

#include <set>
#include <vector>

#include "tb/blocks/mem/faulty_memory.h"

namespace tb::blocks::mem {

inline constexpr unsigned kSolidBackground = 0x1;
inline constexpr unsigned kAllBackgrounds = 0xf;

/// A fault, and the backgrounds that a memory test needs for it.
struct ListedFault {
  MemoryFault fault;
  unsigned backgrounds = kSolidBackground;
};

/// Faults of every class, in cells at the edges and in the middle of an array of words.
/// @param words at least 128 @param bits at least 32
std::vector<ListedFault> fault_list(unsigned words, unsigned bits);

/// Words that a fault can show in.
std::set<unsigned> words_of(const MemoryFault& fault);

}  // namespace tb::blocks::mem
