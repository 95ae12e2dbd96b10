#pragma once

#include "Vmem_dut.h"
#include "tb/blocks/block_bench.h"
#include "tb/blocks/mem/axi_port.h"
#include "tb/blocks/mem/window_port.h"
#include "tb/blocks/register_port.h"

namespace tb::blocks::mem {

/// The SRAM with a register port, a host window and an AXI manager. One a process.
struct MemBench {
  MemBench();

  BlockBench<Vmem_dut> clock;
  RegisterPort<Vmem_dut> registers;
  WindowPort window;
  AxiPort axi;

  /// Reset, then a fill with zero, so that every word has good check bits.
  void start();
  void fill(std::uint64_t data);
};

MemBench& bench();

}  // namespace tb::blocks::mem
