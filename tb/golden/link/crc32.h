#pragma once

#include <cstdint>
#include <vector>

namespace tb::golden::link {

/// CRC-32/ISO-HDLC (IEEE 802.3, clause 3.2.9): polynomial 0x04C11DB7, reflected, initial value and final XOR all ones.
/// Check value: 0xCBF43926 over the ASCII digits 1 to 9.
std::uint32_t crc32(const std::vector<std::uint8_t>& bytes);

}  // namespace tb::golden::link
