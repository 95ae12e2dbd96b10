#pragma once

#include <array>
#include <cstdint>

namespace tb {

/// The wires between the chip and its external memory: 8 byte lanes with an eye each for writes and for reads, which
/// the chip's delay taps (0 to 63) must hit. Place and width of an eye come from the seed, as they would from a board.
/// Beside it bits of the lane arrive inverted: an eighth at the first tap, a quarter at the second, then half.
class MemoryLanes {
 public:
  static constexpr unsigned lanes = 8;
  static constexpr unsigned taps = 64;
  /// Taps from `first` on, when `width` is not 0.
  struct Eye {
    unsigned first = 0;
    unsigned width = 0;
    /// Taps to the nearest one inside; `taps` when there is none.
    unsigned distance(unsigned tap) const {
      if (width == 0) return taps;
      if (tap < first) return first - tap;
      return tap - first < width ? 0 : tap - first - width + 1;
    }
    bool operator==(const Eye& o) const { return first == o.first && width == o.width; }
    bool operator!=(const Eye& o) const { return !(*this == o); }
  };

  explicit MemoryLanes(std::uint64_t seed);

  const Eye& read_eye(unsigned lane) const { return read_.eyes[lane]; }
  const Eye& write_eye(unsigned lane) const { return write_.eyes[lane]; }
  /// Both eyes of a lane close to so many taps around their centres; 0 closes them for good.
  void set_width(unsigned lane, unsigned width);

  /// Bits of a word of 64 that arrive inverted.
  /// @param delays 6 bits a lane, lane 0 in the low bits @param beat counts the words of the direction
  std::uint64_t read_flips(std::uint64_t delays, std::uint64_t beat) { return flips(read_, delays, beat); }
  std::uint64_t write_flips(std::uint64_t delays, std::uint64_t beat) { return flips(write_, delays, beat); }

 private:
  struct Direction {
    std::array<Eye, lanes> eyes;
    std::uint64_t salt = 0;
    std::uint64_t delays = ~std::uint64_t{0};  // that the masks are of
    // Bytes of ones: lanes whose tap misses the eye by more than two, by two, and by one.
    std::uint64_t far = 0;
    std::uint64_t near = 0;
    std::uint64_t edge = 0;
  };
  static void look(Direction& direction, std::uint64_t delays);
  static std::uint64_t flips(Direction& direction, std::uint64_t delays, std::uint64_t beat);

  Direction read_;
  Direction write_;
};

}  // namespace tb
