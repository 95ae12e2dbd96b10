#pragma once

#include <functional>

#include "lab/runner/scheduler.h"
#include "lab/runner/wall_time_source.h"

namespace firstlight::peers {

/// Runs the body in a fiber on the wall clock, as the lab's station does. What it throws comes out.
inline void on_wall_clock(const std::function<void(Scheduler&)>& body) {
  WallTimeSource source;
  Scheduler::Options options;
  options.wall_clock = true;
  Scheduler scheduler(source, options);
  scheduler.run([&] { body(scheduler); });
}

}  // namespace firstlight::peers
