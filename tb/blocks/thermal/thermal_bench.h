#pragma once

#include <array>

#include "Vthermal_dut.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/register_port.h"

namespace tb::blocks::thermal {

constexpr unsigned kZones = 4;
constexpr std::uint64_t kPeriod = 64;  // ref cycles a sample, the value after reset

/// The thermal unit with a register port. One a process. Temperatures are in eighths of a degree.
struct ThermalBench {
  ThermalBench();

  BlockBench<Vthermal_dut> clock;
  RegisterPort<Vthermal_dut> registers;

  /// Reset with all rails but the always-on one off; then lines up with the sample tick.
  void start();
  void temperature(unsigned zone, int eighths);
  void rail(unsigned zone, bool good);
  /// Passes the next sample tick, so that what it does can be read. Inputs and registers that changed since the last
  /// call are sampled.
  void next_sample();

 private:
  std::uint64_t anchor_ = 0;  // a cycle just after a tick
};

ThermalBench& bench();

constexpr int degrees(int whole) { return whole * 8; }

}  // namespace tb::blocks::thermal
