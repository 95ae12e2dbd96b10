#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lab/runner/station.h"

namespace firstlight {

/// A model that other programs use from outside. Its time source follows the wall clock as far as it can, and can be
/// interrupted from any thread.
class ListeningStation : public Station {
 public:
  /// What no instrument sees: the highest voltage at each rail's pin over the whole session, when each went off, and
  /// the state now, as JSON.
  virtual std::string witness() = 0;
  /// Tells `publish` the time whenever it changes: the present, and the moment up to which it passes as on the wall
  /// clock. Called on the thread that runs the model.
  virtual void when_time_passes(std::function<void(Instant now, Instant until)> publish) = 0;
  /// Begins to look for the highest voltages anew.
  virtual void forget() = 0;
};

using ListeningFactory = std::function<std::unique_ptr<ListeningStation>(const BenchPlan& plan, std::uint64_t seed)>;

}  // namespace firstlight
