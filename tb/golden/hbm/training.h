#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tb/golden/hbm/patterns.h"

namespace tb::golden::hbm {

/// At which taps a lane's bits arrive right: bit t is tap t. What is written at a good write tap and read at a good
/// read tap is right, nothing else.
struct LaneEye {
  std::uint64_t rd = 0;
  std::uint64_t wr = 0;
};
using Eyes = std::array<LaneEye, kLanes>;

struct Window {
  unsigned first = 0;
  unsigned last = 0;
  unsigned width() const { return last - first + 1; }
  unsigned centre() const { return (first + last) / 2; }
  bool operator==(const Window& o) const { return first == o.first && last == o.last; }
};

/// Numbers as in register train_result.
enum class Reason : std::uint8_t { none, bus_error, no_answer, stopped, no_eye, no_window, narrow, check };

struct TrainingResult {
  Reason reason = Reason::none;
  unsigned lane = 0;
  bool write = false;  // direction
  std::array<std::optional<Window>, kLanes> rd;
  std::array<std::optional<Window>, kLanes> wr;
  std::array<unsigned, kLanes> rd_tap{};
  std::array<unsigned, kLanes> wr_tap{};
  bool passed() const { return reason == Reason::none; }
};

/// What training finds with eyes that do not move.
TrainingResult train(const Eyes& eyes, unsigned min_window);

}  // namespace tb::golden::hbm
