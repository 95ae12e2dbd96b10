#include "tb/golden/secded/secded.h"

#include <array>
#include <bitset>

namespace tb::golden {
namespace {

constexpr unsigned kBits = 72;

std::array<std::uint8_t, kBits> make_columns() {
  std::array<std::uint8_t, kBits> columns{};
  unsigned next = 0;
  for (unsigned value = 0; value < 256; ++value)
    if (std::bitset<8>(value).count() == 3) columns.at(next++) = static_cast<std::uint8_t>(value);
  unsigned rotated = 0x1f;
  for (unsigned k = 0; k < 8; ++k) {
    columns.at(next++) = static_cast<std::uint8_t>(rotated);
    rotated = ((rotated << 1U) | (rotated >> 7U)) & 0xffU;
  }
  for (unsigned k = 0; k < 8; ++k) columns.at(next++) = static_cast<std::uint8_t>(1U << k);
  return columns;
}

}  // namespace

bool Codeword::bit(unsigned position) const {
  return position < 64 ? ((data >> position) & 1U) != 0 : ((check >> (position - 64)) & 1U) != 0;
}

Codeword Codeword::flipped(unsigned position) const {
  Codeword word = *this;
  if (position < 64)
    word.data ^= std::uint64_t{1} << position;
  else
    word.check = static_cast<std::uint8_t>(word.check ^ (1U << (position - 64)));
  return word;
}

std::uint8_t secded_column(unsigned position) {
  static const auto columns = make_columns();
  return columns.at(position);
}

// The sum of the columns of all bits that are set is zero in a codeword.
Codeword secded_encode(std::uint64_t data) {
  Codeword word{data, 0};
  for (unsigned i = 0; i < 64; ++i)
    if (word.bit(i)) word.check = static_cast<std::uint8_t>(word.check ^ secded_column(i));
  return word;
}

Decoded secded_decode(Codeword word) {
  unsigned syndrome = 0;
  for (unsigned i = 0; i < kBits; ++i)
    if (word.bit(i)) syndrome ^= secded_column(i);
  Decoded result{word.data, static_cast<std::uint8_t>(syndrome), false, false};
  if (syndrome == 0) return result;
  for (unsigned i = 0; i < kBits; ++i)
    if (secded_column(i) == syndrome) {
      result.corrected = true;
      result.data = word.flipped(i).data;
    }
  result.uncorrected = !result.corrected;
  return result;
}

}  // namespace tb::golden
