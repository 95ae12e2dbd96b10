#include "lab/drivers/fru.h"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <string_view>

namespace firstlight::fru {

namespace {

constexpr std::size_t kHeader = 8;
constexpr std::uint8_t kEndOfFields = 0xc1;
constexpr std::int64_t kFruEpoch = 820454400;  // 1996-01-01 00:00 UTC

bool sums_to_zero(const std::vector<std::uint8_t>& image, std::size_t begin, std::size_t end) {
  unsigned sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += image[i];
  return (sum & 0xffU) == 0;
}

std::string decode_bcd_plus(const std::uint8_t* data, std::size_t count) {
  constexpr std::string_view kDigits = "0123456789 -.???";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += kDigits[data[i] >> 4U];
    text += kDigits[data[i] & 0xfU];
  }
  return text;
}

std::string decode_six_bit(const std::uint8_t* data, std::size_t count) {
  std::string text;
  for (std::size_t bit = 0; bit + 6 <= count * 8; bit += 6) {
    const std::size_t byte = bit / 8;
    unsigned window = data[byte];
    if (byte + 1 < count) window |= static_cast<unsigned>(data[byte + 1]) << 8U;
    text += static_cast<char>(0x20U + ((window >> (bit % 8)) & 0x3fU));
  }
  return text;
}

std::string date_of(const std::vector<std::uint8_t>& image, std::size_t at) {
  const std::int64_t minutes = image[at] | (image[at + 1] << 8) | (image[at + 2] << 16);
  if (minutes == 0) return {};
  const std::time_t when = static_cast<std::time_t>(kFruEpoch + minutes * 60);
  std::tm parts{};
  gmtime_r(&when, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

struct Area {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Where an area lies, or an error. `unit` is its offset in the header, in units of 8 bytes.
std::string find_area(const std::vector<std::uint8_t>& image, std::uint8_t unit, const char* name, Area& area) {
  area.begin = std::size_t{unit} * 8;
  if (area.begin + 2 > image.size()) return fmt::format("the {} area begins at {}, beyond the image", name, area.begin);
  area.end = area.begin + std::size_t{image[area.begin + 1]} * 8;
  if (area.end > image.size() || area.end < area.begin + 8)
    return fmt::format("the {} area claims bytes {} to {}, the image has {}", name, area.begin, area.end, image.size());
  if ((image[area.begin] & 0x0fU) != 1)
    return fmt::format("the {} area has format version {}", name, image[area.begin] & 0x0fU);
  if (!sums_to_zero(image, area.begin, area.end)) return fmt::format("the checksum of the {} area is wrong", name);
  return {};
}

template <std::size_t N>
std::string read_fields(const std::vector<std::uint8_t>& image, std::size_t at, std::size_t end,
                        const std::array<const char*, N>& names, std::map<std::string, std::string>& into) {
  for (const char* name : names) {
    if (at >= end) return "a field list runs out of its area";
    const std::uint8_t type = image[at++];
    if (type == kEndOfFields) return {};
    const std::size_t count = type & 0x3fU;
    if (at + count > end) return fmt::format("the field \"{}\" runs out of its area", name);
    const std::string text = decode_text(type, image.data() + at, count);
    if (!text.empty()) into[name] = text;
    at += count;
  }
  return {};
}

}  // namespace

std::string decode_text(std::uint8_t type_length, const std::uint8_t* data, std::size_t count) {
  switch (type_length >> 6U) {
    case 0:
      return fmt::format("{:02x}", fmt::join(data, data + count, ""));
    case 1:
      return decode_bcd_plus(data, count);
    case 2:
      return decode_six_bit(data, count);
    default:
      return {data, data + count};
  }
}

Parsed parse(const std::vector<std::uint8_t>& image) {
  Parsed parsed;
  if (image.size() < kHeader) {
    parsed.error = fmt::format("the image has {} bytes, less than a header", image.size());
  } else if (image[0] == 0xff) {
    parsed.error = "the memory is blank (all ones)";
  } else if ((image[0] & 0x0fU) != 1) {
    parsed.error = fmt::format("the header has format version {}", image[0] & 0x0fU);
  } else if (!sums_to_zero(image, 0, kHeader)) {
    parsed.error = "the checksum of the header is wrong";
  } else if (image[3] == 0) {
    parsed.error = "there is no board area";
  }
  Area area;
  if (parsed.error.empty()) parsed.error = find_area(image, image[3], "board", area);
  if (!parsed.error.empty()) return parsed;

  static constexpr std::array kBoard = {"manufacturer", "product", "serial_number", "part_number", "fru_file"};
  const std::string date = date_of(image, area.begin + 3);
  if (!date.empty()) parsed.fields["manufactured"] = date;
  parsed.error = read_fields(image, area.begin + 6, area.end, kBoard, parsed.fields);
  if (!parsed.error.empty() || image[4] == 0) return parsed;

  static constexpr std::array kProduct = {"product.manufacturer", "product.name",          "product.part_number",
                                          "product.version",      "product.serial_number", "product.asset_tag",
                                          "product.fru_file"};
  parsed.error = find_area(image, image[4], "product", area);
  if (parsed.error.empty()) parsed.error = read_fields(image, area.begin + 3, area.end, kProduct, parsed.fields);
  return parsed;
}

}  // namespace firstlight::fru
