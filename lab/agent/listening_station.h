#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lab/runner/station.h"

namespace firstlight {

/// A model that other programs use from outside. Its time source follows the wall clock and can be interrupted from
/// any thread.
class ListeningStation : public Station {
 public:
  /// What no instrument sees: the highest voltage at each rail's pin over the whole session, when each went off, and
  /// the state now, as JSON.
  virtual std::string witness() = 0;
  /// Begins to look for the highest voltages anew.
  virtual void forget() = 0;
};

using ListeningFactory = std::function<std::unique_ptr<ListeningStation>(const BenchPlan& plan, std::uint64_t seed)>;

}  // namespace firstlight
