#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace firstlight::steps {

enum class DmaDamage {
  none,
  lost,       // what is wrong still holds what stood there before
  misplaced,  // what is wrong belongs elsewhere in the same destination, or was not written
  changed     // anything else
};

/// How a destination differs from what it must hold. Offsets are from its first byte.
struct DmaDifference {
  DmaDamage damage = DmaDamage::none;
  std::size_t wrong = 0;  // bytes
  std::size_t first = 0;  // offset of the first of them
  std::size_t stray = 0;  // misplaced: offset of the first byte that belongs elsewhere
  std::size_t home = 0;   // misplaced: where it belongs
};

/// Tells a write that was lost from data that were changed, which only holds where old and new bytes are unlike: see
/// unlike(). The three are of one length.
DmaDifference compare_destination(const std::vector<std::uint8_t>& old, const std::vector<std::uint8_t>& expected,
                                  const std::vector<std::uint8_t>& found);

/// @return `drawn`, with a bit more inverted as need be, so that it differs from `old` in two bits at least: with one
/// bit of it wrong it is still not the old byte
std::uint8_t unlike(std::uint8_t old, std::uint8_t drawn);

}  // namespace firstlight::steps
