#pragma once

#include <vector>

#include "lab/bench/plan.h"
#include "lab/transports/i2c/mux_tree.h"

namespace firstlight::i2c {

/// The muxes on the way to what an I2C resource is for, from its parameter `mux`: {address: 0x70, channel: 2}, with
/// `kind: mux` for parts that code the channel's number, `channels: 4` for small ones, and `behind: {...}` for a mux
/// that is itself behind one. Throws FailureError (bench) with the place.
std::vector<MuxHop> mux_way(const ResourcePlan& resource);

/// "gpio1.scl" is resource gpio1, line scl. Throws FailureError (bench) when it is of another form, or names no GPIO
/// resource of the bench.
struct LineName {
  const ResourcePlan* resource = nullptr;
  std::string line;
};
LineName line_name(const std::string& text, const ResourcePlan& resource, const BenchPlan& bench);

}  // namespace firstlight::i2c
