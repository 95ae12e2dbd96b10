#pragma once

#include <cstdint>
#include <optional>

#include "tb/golden/tensor/instruction.h"

namespace tb::golden::tensor {

/// docs/tensor.md, "Errors".
enum class ErrorCode : std::uint8_t {
  kBadOpcode = 1,
  kBadDtype = 2,
  kBadShape = 3,
  kBadAddress = 4,
  kStationaryUnset = 5,
  kAccumulatorUnset = 6,
  kSemaphoreOverflow = 7,
  kMemoryError = 8,
  kFetchError = 9
};

struct Error {
  ErrorCode code = ErrorCode::kBadOpcode;
  std::uint32_t tag = 0;
  std::uint32_t detail = 0;
};
inline bool operator==(const Error& a, const Error& b) {
  return a.code == b.code && a.tag == b.tag && a.detail == b.detail;
}

/// Rows and columns of the array.
struct Shape {
  unsigned rows = 8;
  unsigned cols = 8;
  unsigned partitions() const { return rows > cols ? rows : cols; }
};

inline constexpr unsigned kBanks = 4;
inline constexpr unsigned kEntries = 128;
inline constexpr unsigned kPartitionBytes = 16384;
inline constexpr unsigned kPartitionWords = kPartitionBytes / 8;

/// Bytes of an element; dtype is legal.
unsigned element_bytes(unsigned dtype);

/// What is wrong with an instruction by itself: codes 1 to 4, the lowest that holds.
std::optional<ErrorCode> check(const Shape& shape, const Instruction& instruction);

}  // namespace tb::golden::tensor
