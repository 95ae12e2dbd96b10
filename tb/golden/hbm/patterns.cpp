#include "tb/golden/hbm/patterns.h"

namespace tb::golden::hbm {

std::uint64_t mix(std::uint32_t a, std::uint32_t b) {
  std::uint64_t x = (std::uint64_t{a ^ 0x9E3779B9U} << 32U) + (b ^ 0x7F4A7C15U);
  for (int round = 0; round < 3; ++round) {
    x ^= x << 13U;
    x ^= x >> 7U;
    x ^= x << 17U;
  }
  return x;
}

std::array<std::uint64_t, kPageWords> training_page(std::uint16_t number) {
  std::array<std::uint64_t, kPageWords> page{};
  for (unsigned i = 0; i < 8; ++i) {
    page[i] = mix(number, i);
    page[8 + i] = ~page[i];
    std::uint64_t walking = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      walking |= std::uint64_t{1} << (8 * lane + (16 + i + lane + number) % 8);
    page[16 + i] = walking;
    page[24 + i] = ~walking;
  }
  return page;
}

std::uint64_t background(Test test, std::uint32_t seed, std::uint32_t offset) {
  switch (test) {
    case Test::solid:
      return 0;
    case Test::checkerboard: {
      const bool differ = ((offset >> 3U) & 1U) != ((offset >> 10U) & 1U);
      return differ ? 0xAAAAAAAAAAAAAAAAU : 0x5555555555555555U;
    }
    case Test::random:
      return mix(seed, offset / kWordBytes);
    case Test::address:
    case Test::lines:
      break;
  }
  return (std::uint64_t{~offset} << 32U) | offset;
}

}  // namespace tb::golden::hbm
