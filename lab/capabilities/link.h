#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/core/bench_time.h"

namespace firstlight {

enum class PrbsPattern : std::uint8_t { prbs7, prbs15, prbs31 };

struct LaneStatus {
  int lane = 0;          // physical, at the receiver
  bool present = false;  // not electrically idle
  bool locked = false;
  bool active = false;       // part of the width
  bool inverted = false;     // polarity was corrected
  int mapped_from = -1;      // the transmitter's lane that arrives here, -1 unknown
  int skew = 0;              // core cycles against the earliest lane
  std::uint64_t errors = 0;  // since the counters were cleared
};

struct LinkStatus {
  std::string state;  // "DETECT", "POLLING", "CONFIG", "L0", "RECOVERY", "DISABLED"
  bool up = false;    // L0
  int width = 0;
  bool reversed = false;
  std::uint32_t recoveries = 0;
  std::vector<LaneStatus> lanes;
  std::string reason;  // why it is not up, as far as the link knows; empty when up
  std::string text;
};

struct LinkTransition {
  double time = 0;  // nominal seconds since training began
  std::string from;
  std::string to;
  std::string reason;
};

struct PrbsResult {
  int lane = 0;
  bool locked = false;
  bool inverted = false;   // not locked because the lane carries the complement of the sequence
  bool present = true;     // not electrically idle
  std::uint64_t bits = 0;  // while locked
  std::uint64_t errors = 0;
  unsigned lock_losses = 0;  // since the last clear; what came meanwhile was not counted
};

/// Where the second sampler of an eye scan can look. Places are whole numbers, 0 where data is sampled.
struct EyeGrid {
  int first_phase = 0;
  int last_phase = 0;
  double phase_step = 0;  // of a bit
  int first_offset = 0;
  int last_offset = 0;
  double offset_step = 0;  // V
};

struct EyeCount {
  std::uint64_t bits = 0;    // compared; none on a lane without a signal
  std::uint64_t errors = 0;  // where the second sampler differed from the data
};

/// One chip-to-chip link, near end. All counters are named as in the register map.
class Link {
 public:
  static constexpr std::string_view kName = "links";

  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  virtual ~Link() = default;

  virtual std::string part() const = 0;
  virtual int lane_count() const = 0;
  /// Enables the link at both ends that the driver reaches, and returns at once.
  virtual void enable() = 0;
  virtual void disable() = 0;
  virtual void retrain() = 0;
  virtual LinkStatus status() = 0;
  virtual std::vector<LinkTransition> trace() = 0;
  /// The longest that training may take by the link's own timers, in bench time.
  virtual Duration training_limit() = 0;
  virtual std::vector<std::pair<std::string, std::uint64_t>> counters() = 0;
  virtual void clear_counters() = 0;

  /// PRBS replaces traffic at both ends. `bits` per lane is counted from the last clear.
  virtual void start_prbs(PrbsPattern pattern) = 0;
  virtual void stop_prbs() = 0;
  virtual void clear_prbs() = 0;
  /// Makes the far transmitter, or where that cannot be reached the checker, see `count` bit errors on a lane: a
  /// checker that then counts none is not checking.
  virtual void inject_prbs_errors(int lane, int count) = 0;
  virtual std::vector<PrbsResult> prbs() = 0;
  virtual EyeGrid eye_grid() const = 0;
  /// Begins to compare at least `bits` bits of a lane at a place of the grid; whatever was begun before is forgotten.
  virtual void start_eye(int lane, int phase, int offset, std::uint64_t bits) = 0;
  /// Empty while it compares.
  virtual std::optional<EyeCount> eye() = 0;

  /// Bits that one lane moves in a second of bench time.
  virtual double lane_rate() const = 0;
};

}  // namespace firstlight
