#include "tb/golden/link/crc32.h"

namespace tb::golden::link {

std::uint32_t crc32(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t remainder = 0xFFFFFFFFU;
  for (const std::uint8_t byte : bytes) {
    for (unsigned i = 0; i < 8; ++i) {
      // The register is kept unreflected here: bit 31 is the highest power.
      const std::uint32_t in = (byte >> i) & 1U;
      const bool subtract = ((remainder >> 31) ^ in) != 0;
      remainder <<= 1;
      if (subtract) remainder ^= 0x04C11DB7U;
    }
  }
  std::uint32_t reflected = 0;
  for (unsigned i = 0; i < 32; ++i) reflected |= ((remainder >> i) & 1U) << (31 - i);
  return ~reflected;
}

}  // namespace tb::golden::link
