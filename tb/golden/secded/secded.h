#pragma once

#include <cstdint>

namespace tb::golden {

/// 64 data and 8 check bits. Bit positions 0 to 63 are data, 64 to 71 check.
struct Codeword {
  std::uint64_t data = 0;
  std::uint8_t check = 0;

  bool operator==(const Codeword& other) const { return data == other.data && check == other.check; }
  /// This word with bit `position` (0 to 71) inverted.
  Codeword flipped(unsigned position) const;
  bool bit(unsigned position) const;
};

struct Decoded {
  std::uint64_t data = 0;
  std::uint8_t syndrome = 0;
  bool corrected = false;
  bool uncorrected = false;
};

/// Odd-weight-column SECDED code (72,64), after M. Y. Hsiao, IBM J. Res. Dev. 14(4), 1970: the columns of the 56 lowest
/// data bits are the bytes of weight 3 in ascending order, of the other 8 the rotations of 0x1f, of the check bits the
/// unit bytes.
std::uint8_t secded_column(unsigned position);
Codeword secded_encode(std::uint64_t data);
Decoded secded_decode(Codeword word);

}  // namespace tb::golden
