#pragma once

#include <cstdint>
#include <vector>

namespace firstlight::pmbus {

/// SMBus packet error code: CRC-8, polynomial 0x07, initial value 0, not reflected (SMBus 3.1, 6.4.1.1).
std::uint8_t pec(const std::vector<std::uint8_t>& bytes, std::uint8_t start = 0);

/// Over all bytes of a transfer on the wire, address bytes included.
/// @param address 7 bits @param read bytes after the repeated START, empty for a pure write
std::uint8_t pec_of_write(std::uint8_t address, const std::vector<std::uint8_t>& written);
std::uint8_t pec_of_read(std::uint8_t address, const std::vector<std::uint8_t>& written,
                         const std::vector<std::uint8_t>& read);

}  // namespace firstlight::pmbus
