#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "Vhbm_bench_top.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/dice.h"
#include "tb/blocks/dma/axi_manager_agent.h"
#include "tb/blocks/hbm/hbm_memory_agent.h"
#include "tb/blocks/register_port.h"
#include "tb/golden/hbm/march.h"

namespace tb::blocks::hbm {

/// The controller between a manager in the fabric's place and the memories behind its pins. One a process; each test
/// begins with `restart`.
struct HbmBench {
  HbmBench();

  BlockBench<Vhbm_bench_top> clock;
  RegisterPort<Vhbm_bench_top> registers;
  AxiManagerAgent fabric;
  HbmMemoryAgent memory;

  void restart();
  std::uint32_t read(const std::string& name) { return registers.read("hbm." + name); }
  void write(const std::string& name, std::uint32_t value) { registers.write("hbm." + name, value); }

  /// Commands, to the end of the engine.
  void command(const char* which) { write(std::string("command.") + which, 1); }
  void run(const char* which);
  void wait_idle(std::uint64_t limit = 2'000'000);
  /// Training with eyes that are open everywhere.
  void train();

  /// One burst of the fabric, to its answers.
  std::vector<golden::axi::ReadBeat> read_burst(std::uint64_t address, unsigned beats);
  golden::axi::Response write_burst(std::uint64_t address, const std::vector<std::uint64_t>& words);
  /// Lets cycles pass until the fabric's bursts have ended.
  void wait_fabric(std::uint64_t limit = 200'000);
  /// Nothing is open, and the bus was used by the rules.
  void expect_clean();

  std::uint64_t hbm_base() const { return registers.map().region("hbm").base; }
  std::uint64_t host_base() const { return registers.map().region("host").base; }
};

HbmBench& bench();

}  // namespace tb::blocks::hbm
