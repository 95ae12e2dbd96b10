#include "lab/steps/dma_compare.h"

#include <algorithm>
#include <bitset>

namespace firstlight::steps {

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kSure = 8;  // so many bytes of random data stand at two places by chance only once in 2^64

/// Whether every wrong byte is old, or is what belongs `home - stray` bytes further.
bool explained(const Bytes& old, const Bytes& expected, const Bytes& found, const DmaDifference& difference) {
  const auto count = static_cast<std::ptrdiff_t>(found.size());
  const auto further = static_cast<std::ptrdiff_t>(difference.home) - static_cast<std::ptrdiff_t>(difference.stray);
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (found[at] == expected[at] || found[at] == old[at]) continue;
    const std::ptrdiff_t home = i + further;
    if (home < 0 || home >= count || found[at] != expected[static_cast<std::size_t>(home)]) return false;
  }
  return true;
}

/// Looks for the bytes at `stray` among those expected.
DmaDamage seek(const Bytes& old, const Bytes& expected, const Bytes& found, DmaDifference& difference) {
  if (found.size() - difference.stray < kSure) return DmaDamage::changed;
  const auto begin = found.begin() + static_cast<std::ptrdiff_t>(difference.stray);
  const auto home = std::search(expected.begin(), expected.end(), begin, begin + static_cast<std::ptrdiff_t>(kSure));
  if (home == expected.end()) return DmaDamage::changed;
  difference.home = static_cast<std::size_t>(home - expected.begin());
  return explained(old, expected, found, difference) ? DmaDamage::misplaced : DmaDamage::changed;
}

}  // namespace

DmaDifference compare_destination(const Bytes& old, const Bytes& expected, const Bytes& found) {
  DmaDifference difference;
  difference.stray = found.size();
  for (std::size_t i = found.size(); i-- > 0;) {
    if (found[i] == expected[i]) continue;
    ++difference.wrong;
    difference.first = i;
    if (found[i] != old[i]) difference.stray = i;
  }
  if (difference.wrong == 0) return difference;
  difference.damage = difference.stray == found.size() ? DmaDamage::lost : seek(old, expected, found, difference);
  return difference;
}

std::uint8_t unlike(std::uint8_t old, std::uint8_t drawn) {
  unsigned apart = static_cast<unsigned>(old) ^ drawn;
  while (std::bitset<8>(apart).count() < 2) apart = (apart << 1U) | 1U;
  return static_cast<std::uint8_t>(old ^ apart);
}

}  // namespace firstlight::steps
