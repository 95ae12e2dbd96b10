#include "lab/capabilities/rail.h"

#include <fmt/format.h>

#include "lab/core/failure.h"

namespace firstlight {

Failure Rail::no_capture() const {
  return {
      ErrorClass::bench,
      "no_peak_capture",
      fmt::format("{} does not catch the extremes of {} between reads, as far as the bench knows", part(), plan().name),
      part(),
      {},
      {},
      "a PMBus part that has commands for it says so in its description: `quirks: {peaks: {lowest: ..., highest: "
      "..., clear: ...}}` (docs/pmbus.md)"};
}

}  // namespace firstlight
