#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/instruments/i2c_target.h"

namespace tb::instruments {

struct FruBoardInfo {
  std::string manufacturer;
  std::string product;
  std::string serial;
  std::string part;
  std::string file_id;
  std::uint32_t minutes_since_1996 = 0;  // date of manufacture
};

/// A FRU image with a common header, a board and a product info area (IPMI Platform Management FRU Information Storage
/// Definition 1.0, revision 1.3, sections 8, 11 and 12), text as 8-bit ASCII. Throws std::invalid_argument for a text
/// of more than 63 characters or what does not fit.
std::vector<std::uint8_t> make_fru(const FruBoardInfo& info, std::size_t size);

/// A 24C02-like EEPROM: one address byte, reads go on at the pointer and wrap, writes are protected by the board.
class Eeprom : public I2cTarget {
 public:
  /// @param content 1 .. 256 bytes
  explicit Eeprom(std::vector<std::uint8_t> content);
  void set_content(std::vector<std::uint8_t> content);

  bool address(bool read) override;
  bool write(std::uint8_t byte) override;
  std::uint8_t read() override;
  void stop() override {}

 private:
  std::vector<std::uint8_t> content_;
  std::size_t pointer_ = 0;
  bool expects_pointer_ = false;
};

}  // namespace tb::instruments
