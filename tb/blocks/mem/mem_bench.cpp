#include "tb/blocks/mem/mem_bench.h"

namespace tb::blocks::mem {

MemBench::MemBench() : clock("mem"), registers(clock), window(clock), axi(clock) {}

MemBench& bench() {
  static MemBench the_bench;
  return the_bench;
}

void MemBench::start() {
  axi.clear();
  clock.reset();
  fill(0);
}

void MemBench::fill(std::uint64_t data) {
  registers.write("sram.fill_data[0]", static_cast<std::uint32_t>(data));
  registers.write("sram.fill_data[1]", static_cast<std::uint32_t>(data >> 32U));
  registers.write("sram.irq_status.fill_done", 1);
  registers.write("sram.fill.start", 1);
  clock.cycle(8192);
  for (int i = 0; i < 20 && registers.read("sram.status.fill_busy") != 0; ++i) clock.cycle();
  if (registers.read("sram.irq_status.fill_done") == 0) throw std::runtime_error("the fill did not end");
}

}  // namespace tb::blocks::mem
