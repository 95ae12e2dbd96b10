#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

struct MbistFailure {
  std::string where;  // within the array: "word 0x1230", "column 2 bank 1 entry 17"
  std::string text;
};

struct MbistResult {
  bool done = false;
  bool passed = false;
  std::uint64_t failures = 0;
  std::optional<MbistFailure> first;
};

struct EccCounters {
  std::uint32_t corrected = 0;
  std::uint32_t uncorrected = 0;
  std::optional<std::uint32_t> first_corrected;    // byte offset
  std::optional<std::uint32_t> first_uncorrected;  // byte offset
  std::string syndrome;                            // in words, empty when none
};

/// Which words spare rows stand in for.
struct MemoryRepair {
  struct Spare {
    int row = 0;
    std::string where;  // what it stands in for, as in MbistFailure
    bool dead = false;  // the row turned out to be bad itself
  };
  int rows = 0;  // that there are
  std::vector<Spare> used;
  bool exhausted = false;  // the last test found more bad words than there were rows
};

/// Cells with a built-in test, and the spare rows that it gives out.
class ArrayTest {
 public:
  ArrayTest() = default;
  ArrayTest(const ArrayTest&) = delete;
  ArrayTest& operator=(const ArrayTest&) = delete;
  virtual ~ArrayTest() = default;

  virtual std::string name() const = 0;  // "sram"
  virtual std::string part() const = 0;
  /// Destroys the content.
  /// @param repair words that fail get spare rows when the test ends; it counts them as failures all the same
  /// Throws FailureError when the test is refused because someone uses the array.
  virtual void start(bool repair) = 0;
  virtual MbistResult result() = 0;
  virtual MemoryRepair repair() = 0;
};

/// A memory of the chip with ECC.
class Memory {
 public:
  static constexpr std::string_view kName = "memories";

  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  virtual ~Memory() = default;

  virtual std::string part() const = 0;
  virtual std::uint32_t size() const = 0;  // bytes
  /// The arrays of the chip that have a built-in test, this memory's own first. Valid as long as the memory.
  virtual std::vector<ArrayTest*> arrays() = 0;
  /// Writes every word (with good check bits) by the chip's own means.
  virtual void fill(std::uint32_t value, Instant deadline) = 0;
  /// 32-bit words; offsets in bytes, multiples of 4.
  virtual std::vector<std::uint32_t> read(std::uint32_t offset, std::size_t words) = 0;
  virtual void write(std::uint32_t offset, const std::vector<std::uint32_t>& words) = 0;
  virtual EccCounters counters() = 0;
  virtual void clear_counters() = 0;
  /// The next write to `offset` gets `bits` (1 or 2) flipped bits in its code word.
  virtual void inject_error(std::uint32_t offset, int bits) = 0;
};

}  // namespace firstlight
