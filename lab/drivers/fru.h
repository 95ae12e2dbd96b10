#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace firstlight::fru {

/// What an IPMI FRU image (IPMI Platform Management FRU Information Storage Definition 1.0, revision 1.3) says of the
/// board. Fields: "manufacturer", "product", "serial_number", "part_number", "fru_file", "manufactured" (ISO date), and
/// of the product area "product.manufacturer", "product.name", "product.part_number", "product.version",
/// "product.serial_number", "product.asset_tag". Empty ones are left out.
struct Parsed {
  std::map<std::string, std::string> fields;
  std::string error;  // what is wrong with the image, empty when it is good
};

/// A text of the type that bits 7 and 6 of a type/length byte give (section 13): binary in hexadecimal, BCD plus, 6-bit
/// ASCII or 8-bit. Sensor records have the same.
std::string decode_text(std::uint8_t type_length, const std::uint8_t* data, std::size_t count);

/// Checks lengths and checksums before it believes anything.
Parsed parse(const std::vector<std::uint8_t>& image);

}  // namespace firstlight::fru
