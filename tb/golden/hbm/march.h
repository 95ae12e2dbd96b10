#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "tb/golden/hbm/patterns.h"

namespace tb::golden::hbm {

/// Registers of the memory test. Offsets are bytes.
struct MarchPlan {
  unsigned tests = 0x1F;
  unsigned burst = 7;  // log2 of the words of a block
  std::uint32_t seed = 1;
  std::uint32_t base = 0;
  std::uint32_t length = 8 * kRowBytes;
  std::uint32_t size = 16U << 20U;
};

struct SpareRow {
  bool enable = false;
  bool dead = false;
  std::uint32_t row = 0;  // byte offset
  bool operator==(const SpareRow& o) const { return enable == o.enable && dead == o.dead && row == o.row; }
};
using SpareRows = std::array<SpareRow, kSpares>;

/// Where an access of the chip goes: the offset, or that in a spare row.
std::uint32_t mapped(const SpareRows& spares, std::uint32_t size, std::uint32_t offset);

struct MarchError {
  Test test = Test::solid;
  unsigned element = 0;
  std::uint32_t offset = 0;
  std::uint64_t bits = 0;
};

struct MarchResult {
  std::uint32_t errors = 0;
  std::optional<MarchError> first;
  std::array<std::uint32_t, kLanes> lane_errors{};
  std::uint32_t blocks = 0;
  std::vector<std::uint32_t> rows;  // that failed, each once, in the order of failing
};

/// A memory by byte offsets, as the chip addresses it after mapping.
struct MemoryPort {
  std::function<std::uint64_t(std::uint32_t)> read;
  std::function<void(std::uint32_t, std::uint64_t)> write;
};

MarchResult march(const MarchPlan& plan, const SpareRows& spares, const MemoryPort& memory);

/// What repair does after a run. @return more rows failed than there were spares for
bool repair(SpareRows& spares, const std::vector<std::uint32_t>& rows);

}  // namespace tb::golden::hbm
