#include "lab/drivers/pmbus/pec.h"

namespace firstlight::pmbus {

std::uint8_t pec(const std::vector<std::uint8_t>& bytes, std::uint8_t start) {
  unsigned crc = start;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = ((crc << 1U) ^ ((crc & 0x80U) != 0 ? 0x07U : 0U)) & 0xffU;
  }
  return static_cast<std::uint8_t>(crc);
}

std::uint8_t pec_of_write(std::uint8_t address, const std::vector<std::uint8_t>& written) {
  return pec(written, pec({static_cast<std::uint8_t>(address << 1U)}));
}

std::uint8_t pec_of_read(std::uint8_t address, const std::vector<std::uint8_t>& written,
                         const std::vector<std::uint8_t>& read) {
  const std::uint8_t turned =
      pec({static_cast<std::uint8_t>((unsigned{address} << 1U) | 1U)}, pec_of_write(address, written));
  return pec(read, turned);
}

}  // namespace firstlight::pmbus
