#pragma once

#include <string>

#include "lab/bench/plan.h"
#include "lab/core/bench_time.h"
#include "tb/board/board.h"

namespace tb {

/// Watches the board where no instrument can: at the pins of the rails, at every moment.
class Witness {
 public:
  /// @param plan its rails say what their highest and their residual voltage may be
  Witness(board::Board& board, const firstlight::BenchPlan& plan);

  /// {"bench_time", "slipped", "exceeded", "all_off", "all_off_for", "rails": [{"rail", "max_volts", "envelope_max",
  /// "exceeded", "volts", "driven", "off_since", "off_for"}], "input": {...}}. Times are seconds of bench time;
  /// `off_since` and `off_for` are null while the rail is above its residual voltage.
  std::string report(firstlight::Duration slipped) const;
  /// Begins to look for the highest voltages anew.
  void forget();

 private:
  struct Limits {
    double max = 0;       // V
    double residual = 0;  // V
  };
  board::Board& board_;
  std::array<Limits, board::kRails> limits_{};
};

}  // namespace tb
