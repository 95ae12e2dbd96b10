#include "tb/instruments/eeprom.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>
#include <utility>

namespace tb::instruments {

namespace {

constexpr std::uint8_t kFormat = 0x01;
constexpr std::uint8_t kEnglish = 25;
constexpr std::uint8_t kAscii = 0xc0;
constexpr std::uint8_t kEndOfFields = 0xc1;
constexpr std::size_t kUnit = 8;  // lengths and offsets count in these

using Bytes = std::vector<std::uint8_t>;

void append_text(Bytes& area, const std::string& text) {
  if (text.size() > 63) throw std::invalid_argument(fmt::format("FRU text \"{}\" has more than 63 characters", text));
  // A length of one would read as the end of the fields.
  const std::string padded = text.size() == 1 ? text + ' ' : text;
  area.push_back(static_cast<std::uint8_t>(kAscii | padded.size()));
  area.insert(area.end(), padded.begin(), padded.end());
}

std::uint8_t zero_checksum(const Bytes& bytes) {
  return static_cast<std::uint8_t>(-std::accumulate(bytes.begin(), bytes.end(), 0));
}

void close_area(Bytes& area) {
  area.push_back(kEndOfFields);
  while ((area.size() + 1) % kUnit != 0) area.push_back(0);
  area[1] = static_cast<std::uint8_t>((area.size() + 1) / kUnit);
  area.push_back(zero_checksum(area));
}

Bytes board_area(const FruBoardInfo& info) {
  Bytes area{kFormat, 0, kEnglish};
  for (unsigned shift = 0; shift < 24; shift += 8)
    area.push_back(static_cast<std::uint8_t>(info.minutes_since_1996 >> shift & 0xffU));
  for (const std::string* text : {&info.manufacturer, &info.product, &info.serial, &info.part, &info.file_id})
    append_text(area, *text);
  close_area(area);
  return area;
}

Bytes product_area(const FruBoardInfo& info) {
  Bytes area{kFormat, 0, kEnglish};
  for (const std::string& text :
       {info.manufacturer, info.product, info.part, std::string("A0"), info.serial, std::string(), info.file_id})
    append_text(area, text);
  close_area(area);
  return area;
}

}  // namespace

std::vector<std::uint8_t> make_fru(const FruBoardInfo& info, std::size_t size) {
  const Bytes board = board_area(info);
  const Bytes product = product_area(info);
  Bytes image{kFormat, 0, 0, 1, static_cast<std::uint8_t>(1 + board.size() / kUnit), 0, 0};
  image.push_back(zero_checksum(image));
  image.insert(image.end(), board.begin(), board.end());
  image.insert(image.end(), product.begin(), product.end());
  if (image.size() > size)
    throw std::invalid_argument(fmt::format("FRU content of {} bytes does not fit {}", image.size(), size));
  image.resize(size, 0xff);
  return image;
}

Eeprom::Eeprom(std::vector<std::uint8_t> content) { set_content(std::move(content)); }

void Eeprom::set_content(std::vector<std::uint8_t> content) {
  if (content.empty() || content.size() > 256)
    throw std::invalid_argument(fmt::format("an EEPROM holds 1 .. 256 bytes, not {}", content.size()));
  content_ = std::move(content);
}

bool Eeprom::address(bool read) {
  expects_pointer_ = !read;
  return true;
}

bool Eeprom::write(std::uint8_t byte) {
  if (!expects_pointer_) return false;
  expects_pointer_ = false;
  pointer_ = byte % content_.size();
  return true;
}

std::uint8_t Eeprom::read() {
  const std::uint8_t byte = content_[pointer_];
  pointer_ = (pointer_ + 1) % content_.size();
  return byte;
}

}  // namespace tb::instruments
