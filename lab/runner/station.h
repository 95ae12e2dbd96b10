#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lab/bench/plan.h"
#include "lab/core/bench_time.h"
#include "lab/transports/provider.h"

namespace firstlight {

/// Where a sequence runs: the lab's table, or the model of one. It brings the wires and what makes time pass; the
/// runner brings the scheduler between them.
class Station {
 public:
  Station() = default;
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;
  virtual ~Station() = default;

  virtual TimeSource& time_source() = 0;
  /// Called once, when the scheduler stands: `time` is what transports wait on, and lives as long as the station's
  /// transports.
  virtual TransportProvider& connect(BenchTime& time) = 0;
  /// False when the time source is the wall clock.
  virtual bool simulated() const = 0;

  /// Waves of the chip's inside over a window of bench time.
  struct WaveRequest {
    std::string file;  // FST
    Instant from{};
    Instant until{};
  };
  /// Before time starts to pass, at most once. False where there is no inside to look at.
  virtual bool record_waves(const WaveRequest&) { return false; }
};

/// @param plan with the faults of the bench file and of the command line
/// @param seed of the run: everything random on a model is drawn from it
using StationFactory = std::function<std::unique_ptr<Station>(const BenchPlan& plan, std::uint64_t seed)>;

}  // namespace firstlight
