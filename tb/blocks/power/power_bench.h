#pragma once

#include "Vpower_dut.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/power/power_scoreboard.h"
#include "tb/blocks/power/power_world.h"
#include "tb/blocks/register_port.h"
#include "tb/golden/power_sequencer/power_sequencer.h"

namespace tb::blocks::power {

/// The sequencer with its board and its reference. One a process.
struct PowerBench {
  PowerBench();

  BlockBench<Vpower_dut> clock;
  RegisterPort<Vpower_dut> registers;
  PowerWorld world;
  PowerScoreboard board;

  /// Reset with all rails off.
  void begin();
  /// Writes the registers that `config` stands for.
  void configure(const golden::PowerSequencer::Config& config);

  /// Commands; the model sees them on the register bus.
  void start();
  void stop();
  void clear_fault();
  void inject(golden::PowerSequencer::Cause cause, unsigned rail);

  bool reach(golden::PowerSequencer::State state, unsigned limit);
  /// All rails good, started, running. False when it did not get there.
  bool bring_up();

  /// The block against the model: what the scoreboard saw, state, snapshot, counters. Empty when they agree. To be
  /// called when nothing has happened for a while.
  std::string differences();
};

PowerBench& bench();

}  // namespace tb::blocks::power
