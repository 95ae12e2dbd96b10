#pragma once

#include <cstdint>

namespace tb::board {

/// Independent seeds from one, by SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators").
constexpr std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t z = seed + (stream + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace tb::board
